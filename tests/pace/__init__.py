"""How many letters a game costs: played by bots that leave orders ahead as people would.

`make pace` prints it. A hand-over is a letter that puts a question to a person; naive is one for
every question that the rules put to a seat.
"""
