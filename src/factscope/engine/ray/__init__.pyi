from .broker import BrokerClient as BrokerClient
from .broker import CallBroker as CallBroker
from .connect import on_ray as on_ray
from .connect import plain_settings as plain_settings
