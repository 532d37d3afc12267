"""Allocation rules. To add one: write its file, add it to this list."""

from gai_core.basics import Registry
from gai_core.rules.apgai import APGAI
from gai_core.rules.apt_g import APT_G
from gai_core.rules.equal import EQUAL
from gai_core.rules.hdoc import HDOC
from gai_core.rules.kl_ucb import KL_UCB
from gai_core.rules.lucb_g import LUCB_G
from gai_core.rules.nearest_finish import NEAREST_FINISH
from gai_core.rules.rule import Rule, Tables
from gai_core.rules.thompson import THOMPSON
from gai_core.rules.together import RuleNumbers, Together, switch

OWN = [HDOC, LUCB_G, APT_G, EQUAL, KL_UCB, THOMPSON, NEAREST_FINISH, APGAI]
"""The planner's own rules, which share their conducted loops."""
RULES: Registry[Rule] = Registry("rule", OWN)

__all__ = ["OWN", "RULES", "Rule", "RuleNumbers", "Tables", "Together", "switch"]
