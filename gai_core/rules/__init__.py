"""Sampling rules. To add one: write its file, add it to this list."""

from gai_core.registry import Registry, Rule
from gai_core.rules.apt_g import APT_G
from gai_core.rules.equal import EQUAL
from gai_core.rules.hdoc import HDOC
from gai_core.rules.lucb_g import LUCB_G

RULES: Registry[Rule] = Registry("rule", [HDOC, LUCB_G, APT_G, EQUAL])
