"""The only interface to language models: a `Call` goes in, a `Reply` or a `ModelError` comes out.

ask (structured) → Client → cache, or one of three senders: live (HTTP), batch files, replay

We implement the chat-completions wire format ourselves over aiohttp. Every provider in our table accepts it, and a call
then costs 0.13 ms of client CPU, where the vendors' packages cost 1.1 to 2.2 ms and a general agent library 5.7 ms (256
calls in flight, loopback server that answers in 200 ms, medians of five). With 2,000 calls in flight, that decides
whether one core is idle or the bottleneck.
"""

from factscope.llm.call import Call, Message, Reply, TokenLogprob, reply_from_json, reply_to_json
from factscope.llm.call_cache import Cache
from factscope.llm.cost import Allowance, Budget, Ledger, Price, Prices, known_prices
from factscope.llm.limits import CallLimits
from factscope.llm.model_client import ModelClient
from factscope.llm.model_errors import ModelError, UnreadableError
from factscope.llm.models_by_role import Models

__all__ = [
    "Allowance", "Budget", "Cache", "Call", "CallLimits", "Ledger", "Message", "ModelClient", "ModelError",
    "Models", "Price", "Prices", "Reply", "TokenLogprob", "UnreadableError", "known_prices", "reply_from_json",
    "reply_to_json",
]  # fmt: skip
