from .notation import write_alike as write_alike
