"""Which release this is: it stands where something was checked or indexed by one."""

RELEASE = "0.3.0"
