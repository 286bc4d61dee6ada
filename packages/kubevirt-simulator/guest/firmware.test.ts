import { describe, expect, it } from 'vitest';
import type { Domain, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { aVmi } from '../testing/builders.ts';
import { silentNetwork, type Lease, type Network } from './network.ts';
import { aGuest, bootLog, BOOT_TIME } from './testing/typist.ts';

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

/** Networks on which a DHCP server has answered every card. */
function answering(change: Partial<Lease>): Network {
  const lease = { address: '10.0.0.7', netmask: '255.255.255.0', prefix: 24, dns: [], search: [], server: '10.0.0.2' };
  return { ...silentNetwork, firmware: () => ({ ...lease, ...change }) };
}

/** The lines that say what was tried, and what the system was loaded from. */
function attempts(log: string): string[] {
  return log
    .split('\r\n')
    .filter((line) => /^(Booting from|Boot failed|Configuring|No bootable| {2}Booting ')/.test(line));
}

describe('firmware', () => {
  it("says the machine's UUID", () => {
    expect(bootLog(anInstance({}))).toContain('Machine UUID 0e1d448d-d0d4-4c9b-999d-12bcb1a19e86\r\n');
  });

  it('boots the disk where nothing has an order', () => {
    expect(attempts(bootLog(anInstance({})))).toEqual([
      'Booting from Hard Disk...',
      "  Booting 'Groundcrew simulated guest' from vda: fedora",
    ]);
  });

  it('tries what has an order, in that order, and the network in vain where no DHCP server answers', () => {
    const log = bootLog(anInstance({ card: 1, disk: 2 }));
    expect(attempts(log)).toEqual([
      'Booting from ROM...',
      'Configuring (net0 02:00:00:00:00:0a)...... No configuration methods succeeded',
      'Booting from Hard Disk...',
      "  Booting 'Groundcrew simulated guest' from vda: fedora",
    ]);
  });

  it('shows the address that a DHCP server gives', () => {
    const log = bootLog(anInstance({ card: 1 }), { network: answering({ gateway: '10.0.0.1' }) });
    expect(log).toContain('net0: 10.0.0.7/255.255.255.0 gw 10.0.0.1\r\nNothing to boot');
  });

  it('names the boot file that it was given, and goes on where nobody serves it', () => {
    const network = answering({ bootFile: 'undionly.kpxe', nextServer: '10.0.0.3' });
    const log = bootLog(anInstance({ card: 1, disk: 2 }, {}), { network });
    expect(log).toContain(
      'Next server: 10.0.0.3\r\nFilename: undionly.kpxe\r\ntftp://10.0.0.3/undionly.kpxe... Connection',
    );
    expect(log).toContain("  Booting 'Groundcrew simulated guest' from vda: fedora");
  });

  it('boots a CD by the name of what is in it', () => {
    const log = bootLog(anInstance({ cd: 1, disk: 2 }));
    expect(attempts(log)).toEqual([
      'Booting from DVD/CD...',
      "  Booting 'Groundcrew simulated guest' from sr0: install-iso",
    ]);
    expect(log).toContain('root=/dev/sr0 ');
  });

  it('goes on after an empty CD-ROM drive', () => {
    expect(attempts(bootLog(anInstance({ cd: 1, disk: 2 }, { media: ['disk'] }))).slice(0, 3)).toEqual([
      'Booting from DVD/CD...',
      'Boot failed: no medium',
      'Booting from Hard Disk...',
    ]);
  });

  it('stops where nothing can be booted, and what is typed then is lost', () => {
    const log = bootLog(anInstance({ card: 1 }));
    expect(log).toMatch(/No bootable device\.\r\n$/);
  });

  it('is silent where it is told not to use the serial port; what it boots is not', () => {
    const log = bootLog(anInstance({}, { firmware: { bootloader: { bios: { useSerial: false } } } }));
    expect(log).not.toContain('SeaBIOS');
    expect(log).toContain('Linux version');
  });
});

describe('firmware of a machine that was started paused', () => {
  it.each([
    ['SeaBIOS', undefined, 'Press ESC for boot menu.'],
    ['OVMF', { bootloader: { efi: { secureBoot: false } } }, 'ESC (setup), F1 (shell), ENTER (boot)'],
  ])('waits 10 s for a key: %s', (_name, firmware, prompt) => {
    const plain = anInstance({ disk: 1 }, { firmware });
    expect(bootLog(plain)).not.toContain(prompt);
    const guest = aGuest({ ...plain, spec: { ...plain.spec, startStrategy: 'Paused' } });
    expect(guest.read(9999).text).toMatch(/UUID[^]*ESC[^\r]*\r\n$/);
    const { text } = guest.read(10_000 + BOOT_TIME);
    expect(text).not.toContain(prompt);
    expect(text).toMatch(/from vda: fedora[^]*Linux version[^]*m login: $/);
    expect(guest.networkAt).toBeGreaterThan(10_000);
  });
});

it('UEFI firmware says its name, and its system knows of it', () => {
  const log = bootLog(anInstance({ disk: 1 }, { firmware: { bootloader: { efi: { secureBoot: false } } } }));
  expect(log).toMatch(/^UEFI firmware[^]*Booting from Hard Disk[^]*efi: EFI v2\.7/);
});
