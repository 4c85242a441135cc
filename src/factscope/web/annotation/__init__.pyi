from .annotation_forms import Annotation as Annotation
from .annotation_forms import QueueMember as QueueMember
from .annotation_forms import Role as Role
from .annotation_forms import SegmentMark as SegmentMark
from .queue_store import Annotations as Annotations
from .task_files import read_tasks as read_tasks
