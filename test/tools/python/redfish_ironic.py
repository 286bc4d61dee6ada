"""Does with sushy what Ironic does with a machine, and prints what it saw as JSON.

redfish_ironic.py <url> <username> <password> <authority> inspect | power | boot | boot_mode | secure_boot
redfish_ironic.py <url> <username> <password> <authority> media | media_waits | media_fails | two_drives <image>
"""

import json
import sys
import time

import sushy

PATIENCE = 60

url, username, password, authority, task, *arguments = sys.argv[1:]
# As Ironic does by itself: a session where there can be one.
service = sushy.Sushy(url, username=username, password=password, verify=authority)
system = service.get_system('/redfish/v1/Systems/1')


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            sys.exit(f'{what} has not come')
        time.sleep(0.2)
        system.refresh()
    return what


def inspect():
    """What ironic's redfish inspect and management interfaces read."""
    processor = system.processors.get_members()[0]
    manager = system.managers[0]
    return {
        'uuid': system.uuid,
        'memory': system.memory_summary.size_gib,
        'cpus': system.processors.summary.count,
        'architecture': system.processors.summary.architecture,
        'threads': processor.total_threads,
        'macs': system.ethernet_interfaces.summary,
        'disks': [drive.capacity_bytes for storage in system.storage.get_members() for drive in storage.drives],
        'chassis': [chassis.identity for chassis in system.chassis],
        'manager': [manager.identity, manager.firmware_version is not None],
        'mode': system.boot.mode,
        'resets': sorted(value.value for value in system.get_allowed_reset_system_values()),
        'sources': sorted(value.value for value in system.get_allowed_system_boot_source_values()),
        'vendor': service.json.get('Vendor'),
    }


def power():
    seen = []
    for reset, state in [
        (sushy.ResetType.FORCE_OFF, sushy.PowerState.OFF),
        (sushy.ResetType.FORCE_OFF, sushy.PowerState.OFF),
        (sushy.ResetType.ON, sushy.PowerState.ON),
        (sushy.ResetType.ON, sushy.PowerState.ON),
        (sushy.ResetType.FORCE_RESTART, sushy.PowerState.ON),
        (sushy.ResetType.FORCE_OFF, sushy.PowerState.OFF),
        (sushy.ResetType.FORCE_RESTART, sushy.PowerState.ON),
    ]:
        system.reset_system(reset)
        until(state, lambda state=state: system.power_state == state)
        seen.append(f'{reset.value} {state.value}')
    return seen


def shown():
    system.refresh()
    boot = system.boot
    return [boot.enabled, boot.target]


def boot():
    seen = []
    once, always, never = sushy.BootSourceOverrideEnabled.ONCE, sushy.BootSourceOverrideEnabled.CONTINUOUS, sushy.BootSourceOverrideEnabled.DISABLED
    for options in [
        {'target': sushy.BootSource.PXE, 'enabled': once},
        {'target': sushy.BootSource.HDD, 'enabled': always},
        {'target': sushy.BootSource.CD},
        {'enabled': never},
        {'target': sushy.BootSource.PXE, 'enabled': once, 'mode': sushy.BootSourceOverrideMode.UEFI},
        {'target': sushy.BootSource.UEFI_HTTP, 'enabled': once, 'http_boot_uri': 'http://192.0.2.1/boot.efi'},
        {'target': sushy.BootSource.NONE, 'enabled': never},
    ]:
        system.set_system_boot_options(**options)
        seen.append(shown())
    return seen


def boot_mode():
    """As ironic's set_boot_mode on a running machine, then as it ends a deployment: with the disk."""
    def modes():
        system.refresh()
        bios = sushy.Sushy(url, username=username, password=password, verify=authority).get_system(system.path).bios
        return [system.boot.mode, bios.attributes['BootMode'], bios.pending_attributes.get('BootMode')]

    seen = [modes()]
    for mode in [sushy.BootSourceOverrideMode.LEGACY, sushy.BootSourceOverrideMode.UEFI]:
        system.set_system_boot_options(mode=mode)
        seen.append(modes())
        system.reset_system(sushy.ResetType.FORCE_RESTART)
        until(mode, lambda mode=mode: modes() == [mode, mode.value, None])
        system.set_system_boot_options(target=sushy.BootSource.HDD, enabled=sushy.BootSourceOverrideEnabled.CONTINUOUS)
        seen.append(modes())
        system.set_system_boot_options(enabled=sushy.BootSourceOverrideEnabled.DISABLED)
    return seen


def secure_boot():
    """As ironic does for the capability secure_boot: the change counts when the machine is restarted."""
    switch = system.secure_boot
    try:
        switch.get_allowed_reset_keys_values()
    except sushy.exceptions.MissingActionError:
        pass
    seen = [switch.enabled]
    for wanted, current in [(True, sushy.SecureBootCurrentBoot.ENABLED), (False, sushy.SecureBootCurrentBoot.DISABLED)]:
        switch.set_enabled(wanted)
        system.reset_system(sushy.ResetType.FORCE_RESTART)

        def is_in_force(wanted=wanted, current=current):
            switch.refresh()
            return switch.enabled == wanted and switch.current_boot == current

        until('the setting', is_in_force)
        until('the machine', lambda: system.power_state == sushy.PowerState.ON)
        seen.append(switch.enabled)
    return seen


def drive(kind=sushy.VirtualMediaType.CD):
    return next(slot for slot in system.virtual_media.get_members() if kind in slot.media_types)


def task_of_media():
    return service.get_task_service().tasks.get_members()[-1]


def inserting(state):
    """Inserts the image; what its task and its drive show in this state, and after how many seconds."""
    slot = drive()
    slot.eject_media()
    start = time.monotonic()
    slot.insert_media(arguments[0])
    return slot, reached(slot, state), time.monotonic() - start


def reached(slot, state):
    until(state, lambda: task_of_media().task_state == state)
    slot.refresh()
    task = task_of_media()
    [message] = task.messages
    return [task.percent_complete, message.message_id.split('.')[-1], message.resolution, slot.inserted, slot.connected_via]


def media_waits():
    """An image for a running machine that cannot get it before it is power-cycled."""
    slot, waiting, _ = inserting(sushy.TaskState.PENDING)
    system.reset_system(sushy.ResetType.POWER_CYCLE)
    done = reached(slot, sushy.TaskState.COMPLETED)
    slot.eject_media()
    return [waiting, done]


def media_fails():
    _, failed, seconds = inserting(sushy.TaskState.EXCEPTION)
    return [failed, seconds]


def media():
    """As ironic's redfish-virtual-media boots an image."""
    slot = drive()
    slot.eject_media()
    slot.insert_media(arguments[0], write_protected=True)

    def inserted():
        slot.refresh()
        return slot.inserted

    until('the image', inserted)
    seen = [slot.image, slot.inserted, slot.write_protected]
    slot.eject_media()
    slot.refresh()
    return [*seen, slot.image, slot.inserted]


def two_drives():
    """An image and, as Ironic attaches it, a configuration drive, from which the machine boots."""
    slots = [drive(), drive(sushy.VirtualMediaType.USB_STICK)]
    for slot in slots:
        slot.eject_media()
        slot.insert_media(arguments[0], write_protected=True)
    system.set_system_boot_options(target=sushy.BootSource.USB, enabled=sushy.BootSourceOverrideEnabled.ONCE)
    seen = shown()
    system.reset_system(sushy.ResetType.POWER_CYCLE)

    def ready():
        for slot in slots:
            slot.refresh()
        return [slot.connected_via for slot in slots] == [sushy.ConnectedVia.URI] * 2

    until('the images', ready)
    return [*seen, *[[slot.identity, slot.image, slot.inserted] for slot in slots]]


TASKS = {'inspect': inspect, 'power': power, 'boot': boot, 'boot_mode': boot_mode, 'secure_boot': secure_boot, 'media': media, 'media_waits': media_waits, 'media_fails': media_fails, 'two_drives': two_drives}
print(json.dumps(TASKS[task](), default=lambda word: word.value))
