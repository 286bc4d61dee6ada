"""Does with sushy what Ironic does with a machine, and prints what it saw as JSON.

redfish_ironic.py <url> <username> <password> <authority> inspect | power | boot | secure_boot
redfish_ironic.py <url> <username> <password> <authority> media <image>
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


def media():
    """As ironic's redfish-virtual-media boots an image."""
    slot = next(slot for slot in system.virtual_media.get_members() if sushy.VirtualMediaType.CD in slot.media_types)
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


TASKS = {'inspect': inspect, 'power': power, 'boot': boot, 'secure_boot': secure_boot, 'media': media}
print(json.dumps(TASKS[task](), default=lambda word: word.value))
