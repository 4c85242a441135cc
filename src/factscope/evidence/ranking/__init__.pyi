from .dense import fuse as fuse
from .dense import similarities as similarities
from .model_config import model_folder as model_folder
from .sentence_encoder import Encoder as Encoder
from .sentence_encoder import VectorCache as VectorCache
