import { describe, expect, it } from 'vitest';
import type { Domain, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { TextScreen } from '../screen/index.ts';
import { aGuest, aVmi, BOOT_TIME, bootLog } from '../testing/builders.ts';
import { silentNetwork, type Lease, type Network } from './network.ts';

/** An instance with a disk, a CD-ROM drive and a network card, in the boot order given. */
function anInstance(
  order: { disk?: number; cd?: number; card?: number },
  change: { firmware?: Domain['firmware']; media?: string[] } = {},
): VirtualMachineInstance {
  const { media = ['disk', 'cd'], firmware } = change;
  const ordered = (bootOrder: number | undefined) => (bootOrder === undefined ? {} : { bootOrder });
  const vmi = aVmi('Running', { interfaces: [{ name: 'default', mac: '02:00:00:00:00:0a', infoSource: 'domain' }] });
  const domain = {
    ...vmi.spec.domain,
    firmware: { ...vmi.spec.domain.firmware, ...firmware },
    devices: {
      disks: [
        { name: 'disk', disk: { bus: 'virtio' }, ...ordered(order.disk) },
        { name: 'cd', cdrom: { bus: 'sata' }, ...ordered(order.cd) },
      ],
      interfaces: [{ name: 'default', masquerade: {}, ...ordered(order.card) }],
    },
  };
  const volumes = [
    { name: 'disk', dataVolume: { name: 'fedora' } },
    { name: 'cd', persistentVolumeClaim: { claimName: 'install-iso' } },
  ].filter(({ name }) => media.includes(name));
  return { ...vmi, spec: { ...vmi.spec, domain, volumes } };
}

/** Networks whose DHCP server has answered each card. */
function answering(change: Partial<Lease>): Network {
  const lease = { address: '10.0.0.7', netmask: '255.255.255.0', prefix: 24, dns: [], search: [], server: '10.0.0.2' };
  return { ...silentNetwork, firmware: () => ({ ...lease, ...change }) };
}

/** The lines about boot devices. */
function attempts(log: string): string[] {
  return log
    .split('\r\n')
    .filter((line) => /^(Booting from|Boot failed|Configuring|No bootable| {2}Booting ')/.test(line));
}

describe('firmware', () => {
  it("prints the machine's UUID", () => {
    expect(bootLog(anInstance({}))).toContain('Machine UUID 0e1d448d-d0d4-4c9b-999d-12bcb1a19e86\r\n');
  });

  it('boots the disk without a boot order', () => {
    expect(attempts(bootLog(anInstance({})))).toEqual([
      'Booting from Hard Disk...',
      "  Booting 'Groundcrew simulated guest' from vda: fedora",
    ]);
  });

  it('tries the devices with a boot order, and fails on a network without DHCP server', () => {
    const log = bootLog(anInstance({ card: 1, disk: 2 }));
    expect(attempts(log)).toEqual([
      'Booting from ROM...',
      'Configuring (net0 02:00:00:00:00:0a)...... No configuration methods succeeded',
      'Booting from Hard Disk...',
      "  Booting 'Groundcrew simulated guest' from vda: fedora",
    ]);
  });

  it('prints the address from a DHCP server', () => {
    const log = bootLog(anInstance({ card: 1 }), { network: answering({ gateway: '10.0.0.1' }) });
    expect(log).toContain('net0: 10.0.0.7/255.255.255.0 gw 10.0.0.1\r\nNothing to boot');
  });

  it('prints the boot file, and continues without it', () => {
    const network = answering({ bootFile: 'undionly.kpxe', nextServer: '10.0.0.3' });
    const log = bootLog(anInstance({ card: 1, disk: 2 }, {}), { network });
    expect(log).toContain(
      'Next server: 10.0.0.3\r\nFilename: undionly.kpxe\r\ntftp://10.0.0.3/undionly.kpxe... Connection',
    );
    expect(log).toContain("  Booting 'Groundcrew simulated guest' from vda: fedora");
  });

  it('boots a CD', () => {
    const log = bootLog(anInstance({ cd: 1, disk: 2 }));
    expect(attempts(log)).toEqual([
      'Booting from DVD/CD...',
      "  Booting 'Groundcrew simulated guest' from sr0: install-iso",
    ]);
    expect(log).toContain('root=/dev/sr0 ');
  });

  it('continues after an empty CD-ROM drive', () => {
    expect(attempts(bootLog(anInstance({ cd: 1, disk: 2 }, { media: ['disk'] }))).slice(0, 3)).toEqual([
      'Booting from DVD/CD...',
      'Boot failed: no medium',
      'Booting from Hard Disk...',
    ]);
  });

  it('stops without a bootable device', () => {
    const log = bootLog(anInstance({ card: 1 }));
    expect(log).toMatch(/No bootable device\.\r\n$/);
  });

  it('is on the screen in any case', () => {
    const instance = anInstance({}, { firmware: { bootloader: { bios: { useSerial: false } } } });
    const screen = new TextScreen();
    screen.write(aGuest(instance).read(0).screen);
    expect(screen.lines()[0]).toBe('SeaBIOS (version 1.16.3-2.el9)');
  });

  it('leaves a larger screen to the system if it is UEFI', () => {
    const screen = new TextScreen();
    const guest = aGuest(anInstance({}, { firmware: { bootloader: { efi: {} } } }));
    const sizes = [0, BOOT_TIME].map((now) => {
      screen.write(guest.read(now).screen);
      return screen.columns;
    });
    guest.reset(BOOT_TIME);
    screen.write(guest.read(BOOT_TIME).screen);
    expect([...sizes, screen.columns]).toEqual([80, 160, 80]);
  });

  it('prints nothing if it may not use the serial port', () => {
    const log = bootLog(anInstance({}, { firmware: { bootloader: { bios: { useSerial: false } } } }));
    expect(log).not.toContain('SeaBIOS');
    expect(log).toContain('Linux version');
  });
});

it('UEFI firmware prints its name, and its kernel detects it', () => {
  const log = bootLog(anInstance({ disk: 1 }, { firmware: { bootloader: { efi: { secureBoot: false } } } }));
  expect(log).toMatch(/^UEFI firmware[^]*Booting from Hard Disk[^]*efi: EFI v2\.7/);
});
