#!/usr/bin/env python3
"""Protects programs that must compile: each legal combination of a place, an observer and a subject, in each dialect.

cells.py: writes .build/Cells.swift, all legal cells of the isolation matrix.

A cell is a place where observations are registered, an observer and a subject. Each cell registers every form that is legal there, makes one
change or event, and checks what was heard. The isolation is written out, so the same cells are compiled in each dialect.
"""
import itertools
import pathlib
import re

# A place: what stands before its functions, its observers, and its subjects.
PLACES = {
    "Nowhere": ("nonisolated ", ["Plain", "Shared"], ["Plain"]),
    "MainActor": ("@MainActor ", ["Plain", "Main", "Shared"], ["Plain", "Main", "Shared"]),
    "Pool": ("@Pool ", ["Plain", "Pool", "Shared"], ["Plain", "Pool", "Shared"]),
    "Owner": ("", ["Plain", "Owner", "Shared"], ["Plain", "Shared"]),
}

# Each form is followed by what it makes its observer hear.
KEY_PATHS = r"""
observations.observe(subject, \.number) { observer, number in observer.hear("value \(number)") }
//= value 0, value 1
observations.observe(subject, \.number, options: [.old, .new], tag: "change") { observer, subject, change in
    observer.hear("change \(change.oldValue ?? -1) \(change.newValue == subject.number)")
}
//= change 0 true
observations.onChange(of: subject, \.number, tag: "onChange") { observer, old, new in observer.hear("from \(old) to \(new)") }
//= from 0 to 1
"""
# In these, the closure does not get an actor isolated.
OTHER_KEY_PATHS = r"""
observations.observeEach(subject, [\.number, \.name], tag: "several") { observer, _, change in
    observer.hear("several \(change.newValue ?? "none")")
}
//= several 1
observations.observeOnce(subject, \.number, where: { $0 == 1 }, tag: "once") { observer, number in observer.hear("once \(number)") }
//= once 1
observations.observe(subject, \.number, until: { $0 == 1 }, tag: "until") { observer, number in observer.hear("until \(number)") }
//= until 0, until 1
let token = subject.observation(of: \.number) { subject, number in observer.hear("token \(number) \(subject.number)") }
//= token 0 0, token 1 1
let changeToken = subject.observation(of: \.number, options: .new) { subject, change in observer.hear("changeToken \(subject.number)") }
//= changeToken 1
"""
ACTIONS = r"""
observations.observe(subject, \.number, tag: "action", action: Listener.reload)
//= action, action
observations.observe(subject, \.number, tag: "valueAction", action: Listener.numberDidBecome(_:))
//= valueAction 0, valueAction 1
observations.observe(subject, \.number, options: .new, tag: "changeAction", action: Listener.numberDidChange(_:))
//= changeAction 1
observations.observe(subject, \.number, options: .new, tag: "subjectAction", action: Listener.numberDidChange(_:of:))
//= subjectAction 1
observations.observe(subject, \.number, options: .new, tag: "context", context: 1)
//= context 1
observations.observeEach(subject, [\.number, \.name], tag: "eachAction", action: Listener.reload)
//= action
observations.observeEach(subject, [\.number, \.name], tag: "eachContext", context: 2)
//= context 2
"""
OWN_EVENTS = r"""
observations.observe(doorbell) { observer, times in observer.hear("bell \(times)") }
//= bell 1
observations.observe(doorbell, tag: "source") { observer, bell, times in observer.hear("\(bell.name) \(times)") }
//= door 1
let bellToken = doorbell.observation { times in observer.hear("bellToken \(times)") }
//= bellToken 1
"""
OWN_ACTIONS = r"""
observations.observe(doorbell, tag: "action", action: Listener.reload)
//= action
observations.observe(doorbell, tag: "valueAction", action: Listener.numberDidBecome(_:))
//= valueAction 1
"""
EVENTS = r"""
observations.observe(signal) { observer, number in observer.hear("signal \(number)") }
//= signal 1
observations.observe(signal, tag: "source") { observer, signal, number in observer.hear("source \(number)") }
//= source 1
observations.observe(center, for: .saved) { observer, message in observer.hear("named \(message.name.rawValue)") }
//= named saved
observations.observe(center, for: CoverWanted.self) { observer, message in observer.hear("message \(message.title)") }
//= message Aria
let signalToken = signal.observation { number in observer.hear("signalToken \(number)") }
//= signalToken 1
"""
EVENT_ACTIONS = r"""
observations.observe(signal, tag: "action", action: Listener.reload)
//= action
observations.observe(signal, tag: "valueAction", action: Listener.numberDidBecome(_:))
//= valueAction 1
observations.observe(center, for: .saved, tag: "action", action: Listener.reload)
//= action
observations.observe(center, for: CoverWanted.self, tag: "action", action: Listener.reload)
//= action
observations.observe(center, for: CoverWanted.self, tag: "messageAction", action: Listener.coverIsWanted(_:))
//= messageAction Aria
"""
# In a form with `on:`, `@(arguments | text)` stands for an isolation and its closure.
ON = r"""
observations.observe(subject, \.number, on: @(number | "value \(number)"))
//= value 0, value 1
observations.observe(
    subject, \.number, options: [.old, .new], tag: "change",
    on: @(_, change | "change \(change.oldValue ?? -1) \(change.newValue ?? -1)"))
//= change 0 1
observations.observeEach(subject, all: \.number, \.name, tag: "each", on: @(_, change | "each \(change.newValue ?? "none")"))
//= each 1
observations.onChange(of: subject, \.number, tag: "onChange", on: @(old, new | "from \(old) to \(new)"))
//= from 0 to 1
observations.observeOnce(subject, \.number, where: { $0 == 1 }, tag: "once", on: @(number | "once \(number)"))
//= once 1
observations.observe(signal, on: @(number | "signal \(number)"))
//= signal 1
observations.observe(center, for: CoverWanted.self, on: @(message | "message \(message.title)"))
//= message Aria
observations.observe(center, for: .saved, transform: { $0.name.rawValue }, on: @(name | "named \(name)"))
//= named saved
"""
ON_ACTIONS = r"""
observations.observe(subject, \.number, tag: "action", on: .mainActor(action: Listener.reload))
//= action, action
observations.observe(subject, \.number, tag: "valueAction", on: .mainActor(action: Listener.numberDidBecome(_:)))
//= valueAction 0, valueAction 1
observations.observe(subject, \.number, options: .new, tag: "changeAction", on: .mainActor(action: Listener.numberDidChange(_:)))
//= changeAction 1
observations.observe(subject, \.number, options: .new, tag: "subjectAction", on: .mainActor(action: Listener.numberDidChange(_:of:)))
//= subjectAction 1
observations.observe(subject, \.number, options: .new, tag: "context", on: .mainActor(context: 1))
//= context 1
observations.observeEach(subject, all: \.number, \.name, tag: "eachAction", on: .mainActor(action: Listener.reload))
//= action
observations.observeEach(subject, all: \.number, \.name, tag: "eachChange", on: .mainActor(action: Listener.subjectDidChange(_:)))
//= eachChangeAction 1
observations.observeEach(subject, all: \.number, \.name, tag: "eachSubject", on: .mainActor(action: Listener.subjectDidChange(_:of:)))
//= eachSubjectAction 1
observations.observeEach(subject, all: \.number, \.name, tag: "eachContext", on: .mainActor(context: 2))
//= context 2
observations.observe(signal, tag: "action", on: .mainActor(action: Listener.reload))
//= action
observations.observe(center, for: CoverWanted.self, tag: "action", on: .mainActor(action: Listener.coverIsWanted(_:)))
//= messageAction Aria
"""
# The isolations of `on:`: who observes, the closure, and who hears.
TARGETS = {
    "mainActor": (["Main", "Shared"], "{ observer, ARGUMENTS in observer.hear(TEXT) }", "observer"),
    "globalActor(Pool.self)": (["Pool", "Shared"], "{ @Pool observer, ARGUMENTS in observer.hear(TEXT) }", "observer"),
    "actor(other)": (["Main", "Pool", "Shared", "Owner"], "{ other, _, ARGUMENTS in other.hear(TEXT) }", "other"),
    "observer": (["Owner"], "{ observer, ARGUMENTS in observer.hear(TEXT) }", "observer"),
    "anyThread": (["Main", "Pool", "Shared", "Owner"], "{ _, ARGUMENTS in log.hear(TEXT) }", "log"),
}
OWN = "ObservationController(observer: observer)"
SHARED = "SharedObservationController(observer: observer)"
AUTOMATIC = "observer.observations"
# In which places a controller of an observer with `on:` forms is used, and what it is.
CONTROLLERS = {
    "Main": [("Nowhere", OWN), ("Nowhere", SHARED), ("MainActor", OWN), ("MainActor", SHARED), ("MainActor", AUTOMATIC)],
    "Pool": [("Nowhere", OWN), ("Nowhere", SHARED), ("Pool", OWN), ("Pool", SHARED), ("Pool", AUTOMATIC)],
    "Shared": [("Nowhere", SHARED), ("Nowhere", AUTOMATIC), ("MainActor", AUTOMATIC), ("Pool", AUTOMATIC)],
    "Owner": [("Nowhere", SHARED), ("Nowhere", AUTOMATIC), ("MainActor", AUTOMATIC)],
}

SEQUENCES = r"""
for await number in observations.values(of: subject, \.number) {
    if number == 0 { subject.number = 1 } else { break }
}
for await change in observations.changes(of: subject, \.number, options: [.initial, .new]) {
    if change.isInitial { subject.number = 2 } else { break }
}
for await number in subject.values(of: \.number) {
    if number == 2 { subject.number = 3 } else { break }
}
for await change in subject.changes(of: \.number, options: [.initial, .new]) {
    if change.isInitial { subject.number = 4 } else { break }
}
"""
EVENT_SEQUENCES = r"""
let (signal, center) = (Signal<Int>(), MessageCenter())
let (numbers, messages) = (observations.events(of: signal), observations.messages(CoverWanted.self, from: center))
signal.send(1)
center.post(CoverWanted(title: "Aria"))
for await number in numbers where number == 1 { break }
for await message in messages where message.title == "Aria" { break }
"""
SHARED_SEQUENCES = r"""
let (subject, observer) = (SharedSubject(), SharedListener())
let observations = observer.observations
let values = [observations.values(of: subject, \.number), subject.sharedValues(of: \.number)]
let changes = [observations.changes(of: subject, \.number), subject.sharedChanges(of: \.number)]
let (signal, center) = (Signal<Int>(), MessageCenter())
let (numbers, messages) = (observations.events(of: signal), observations.messages(CoverWanted.self, from: center))
let listening = Task.detached {
    for value in values { for await number in value where number == 1 { break } }
    for change in changes { for await change in change where change.newValue == 1 { break } }
    for await number in numbers where number == 1 { break }
    for await message in messages where message.title == "Aria" { break }
}
subject.number = 1
signal.send(1)
center.post(CoverWanted(title: "Aria"))
await listening.value
Cells.passed("sequences that another task iterates")
"""


def forms(text):
    """The forms of a list, each with what is heard."""
    pairs = re.split(r"^//= (.*)\n", text.lstrip("\n"), flags=re.MULTILINE)
    return [(form.rstrip("\n"), heard.split(", ")) for form, heard in zip(pairs[0::2], pairs[1::2])]


class Writer:
    def __init__(self):
        self.text = "// Written by cells.py.\nimport SafeKVO\nimport SafeKVOEvents\nimport Synchronization\n"
        self.calls = []

    def function(self, place, name, lines, is_async):
        """A function of a place, and its call: the function of an actor is in an extension of it."""
        prefix = PLACES[place][0]
        effect = " async" if is_async else ""
        body = "".join(("    " + line).rstrip() + "\n" for text in lines for line in text.split("\n"))
        text = f"{prefix}func {name}(){effect} {{\n{body}}}\n"
        if place == "Owner":
            text = "extension OwnerListener {\n" + "".join(("    " + line).rstrip() + "\n" for line in text.split("\n")[:-1]) + "}\n"
        self.text += "\n" + text
        owner = "OwnerListener()." if place == "Owner" else ""
        waits = "await " if is_async or place != "Nowhere" else ""
        self.calls.append(f"{waits}{owner}{name}()")

    def cell(self, place, observer, title, setup, change, *lists):
        """A cell whose handlers are called at once."""
        itself = place == observer == "Owner"
        lines = [f"let observer = {'self' if itself else observer + 'Listener()'}"]
        lines += [f"let observations = {OWN}"] + setup
        heard = []
        for text, isolated in lists:
            for form, hears in forms(text):
                if itself and not isolated:
                    # A token's handler, which gets no observer, is isolated to the actor that it captures.
                    form = form.replace("observer.hear", "self.hear" if form.startswith("let ") else "observer.hearHere")
                lines.append(form.replace("Listener.", observer + "Listener."))
                heard += hears
        lines += [change]
        tokens = re.findall(r"^let (\w*[tT]oken) = ", "\n".join(lines), flags=re.MULTILINE)
        lines += [f"withExtendedLifetime(({', '.join(tokens)})) {{}}"] if tokens else []
        lines += [f"Cells.check({quoted(title)}, {'self' if itself else 'observer'}.heard, {listed(heard)})"]
        self.function(place, identifier(title), lines, False)

    def elsewhere(self, place, observer, controller, subject, target, closure, hearer):
        """A cell whose handlers name their isolation."""
        title = f"{observer} observer, {subject} subject, {controller.split('(')[0]} in {place}, on {target.split('(')[0]}"
        lines = [f"let observer = {observer}Listener()"]
        lines += {"other": ["let other = OwnerListener()"], "log": ["let log = SharedListener()"]}.get(hearer, [])
        lines += [f"let (subject, signal, center) = ({subject}Subject(), Signal<Int>(), MessageCenter())"]
        lines += [f"let observations = {controller}"]
        heard = []
        for form, hears in forms(ON):
            form = re.sub(
                r"@\((.*?) \| (.*)\)\)$",
                lambda match: f".{target} {closure.replace('ARGUMENTS', match[1]).replace('TEXT', match[2])})", form,
                flags=re.MULTILINE)
            lines.append(form)
            heard += hears
        if target == "mainActor" and place == "MainActor" and observer in ("Main", "Shared"):
            for form, hears in forms(ON_ACTIONS):
                lines.append(form.replace("Listener.", observer + "Listener."))
                heard += hears
        lines += ["subject.number = 1", "signal.send(1)", 'center.post(CoverWanted(title: "Aria"))', "center.post(.saved)"]
        hears = {"observer": observer, "other": "Owner", "log": "Shared"}[hearer]
        waits = "" if hears == "Shared" else "await "
        lines += [f"await Cells.check({quoted(title)}, {{ {waits}{hearer}.heard }}, {listed(heard)})"]
        lines += ["withExtendedLifetime((observer, observations)) {}"]
        self.function(place, identifier(title), lines, True)


def quoted(text):
    return '"' + text + '"'


def listed(heard):
    return "[" + ", ".join(quoted(text) for text in sorted(heard)) + "]"


def identifier(title):
    words = re.findall(r"\w+", title)
    return words[0].lower() + "".join(word[0].upper() + word[1:] for word in words[1:])


def main():
    writer = Writer()
    for place, (_, observers, subjects) in PLACES.items():
        for observer in observers:
            closures = [(KEY_PATHS, True), (OTHER_KEY_PATHS, False)]
            methods = [] if observer == "Owner" else [(ACTIONS, False)]
            for subject in subjects:
                title = f"{observer} observer, {subject} subject, in {place}"
                writer.cell(place, observer, title, [f"let subject = {subject}Subject()"], "subject.number = 1", *closures, *methods)
                lines = [f"let observer = {'self' if observer == place == 'Owner' else observer + 'Listener()'}", f"let subject = {subject}Subject()"]
                controller = OWN if observer in ("Shared", "Owner") else AUTOMATIC
                lines += [f"let observations = {controller}", SEQUENCES.strip("\n"), EVENT_SEQUENCES.strip("\n")]
                lines += [f"Cells.passed({quoted('sequences of ' + title)})"]
                writer.function(place, identifier("sequences of " + title), lines, True)
            methods = [] if observer == "Owner" else [(OWN_ACTIONS, False)]
            title = f"{observer} observer, own source, in {place}"
            writer.cell(place, observer, title, ["let doorbell = Doorbell()"], "doorbell.ring()", (OWN_EVENTS, False), *methods)
            if observer != "Plain":
                title = f"{observer} observer, signal and messages, in {place}"
                methods = [] if observer == "Owner" or place == "Nowhere" else [(EVENT_ACTIONS, False)]
                change = 'signal.send(1)\ncenter.post(CoverWanted(title: "Aria"))\ncenter.post(.saved)'
                setup = ["let (signal, center) = (Signal<Int>(), MessageCenter())"]
                writer.cell(place, observer, title, setup, change, (EVENTS, False), *methods)
    for target, (observers, closure, hearer) in TARGETS.items():
        for observer in observers:
            for place, controller in CONTROLLERS[observer]:
                subjects = ["Shared"] + (["Main"] if place == "MainActor" else ["Pool"] if place == "Pool" else [])
                for subject in subjects:
                    writer.elsewhere(place, observer, controller, subject, target, closure, hearer)
    writer.function("Nowhere", "sharedSequences", [SHARED_SEQUENCES.strip("\n")], True)
    calls = "".join(f"        {call}\n" for call in writer.calls)
    writer.text += "\nnonisolated extension Cells {\n    static func all() async {\n" + calls + "    }\n}\n"
    target = pathlib.Path(__file__).parent / ".build/Cells.swift"
    target.parent.mkdir(exist_ok=True)
    target.write_text(writer.text)
    print(f"{len(writer.calls)} cells")


main()
