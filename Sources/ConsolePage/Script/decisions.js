// decisions
