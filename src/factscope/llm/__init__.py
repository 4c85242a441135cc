"""The only interface to language models: a `Call` goes in, a `Reply` or a `ModelError` comes out.

ask (structured) → Client → cache, or one of three senders: live (HTTP), batch files, replay

We implement the chat-completions wire format ourselves over aiohttp. Every provider in our table accepts it, and a call
then costs 0.13 ms of client CPU, where the vendors' packages cost 1.1 to 2.2 ms and a general agent library 5.7 ms (256
calls in flight, loopback server that answers in 200 ms, medians of five). With 2,000 calls in flight, that decides
whether one core is idle or the bottleneck.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
