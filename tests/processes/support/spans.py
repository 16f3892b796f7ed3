"""What the moments at which jobs started say of the limit they were under."""


def most_in_any(starts, span):
    """The most starts in any span of this length, its end left out; both in the same unit."""
    starts = sorted(starts)
    most, end = 0, 0
    for first, start in enumerate(starts):
        while end < len(starts) and starts[end] < start + span:
            end += 1
        most = max(most, end - first)
    return most


def worst_excess(starts, rate, burst):
    """By how many starts the worst span, of whatever length, is above burst + rate * length."""
    starts, least, worst = sorted(starts), None, -burst
    for index, start in enumerate(starts):
        ahead = index - rate * (start - starts[0])
        least = ahead if least is None else min(least, ahead)
        worst = max(worst, ahead - least + 1 - burst)
    return worst
