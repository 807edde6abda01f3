"""Composition: what many releases together promise. Each file is one rule, with what is proved of it and for which use.

* a batch: mechanisms fixed in advance that do not see each other's answers;
* fixed: parameters fixed in advance, mechanisms that may depend on earlier answers;
* adaptive: parameters that may depend on earlier answers, too. Only ``filters`` and ``basic`` hold here.
"""
