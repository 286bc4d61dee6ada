import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { IPLease } from '../../../api/index.ts';
import { eventually } from '../../harness/eventually.ts';
import type { DhcpFrame } from '../../harness/namespaces/index.ts';
import { RunningClient, udhcpc } from './clients/index.ts';
import { BOOTED, BootServer, Guest, GUEST_TOOLS, type Firmware } from './guest/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const BOOT_SERVER = '10.77.0.9';
const URL_OF_POOL = `http://${BOOT_SERVER}/pool.efi`;
const URL_OF_OVERRIDE = `http://${BOOT_SERVER}/override.efi`;
/** Software emulation takes seconds on an idle machine and several times that on a loaded one. */
const PATIENCE = { timeout: 100_000, interval: 200 };

interface Case {
  firmware: Firmware;
  macAddress: string;
  address: string;
  /** Option 93. */
  architecture: number;
  asksForBroadcast: boolean;
  /** The boot fields that the manager copies from the machine's boot override. */
  boot: Pick<NonNullable<IPLease['spec']['boot']>, 'mode' | 'uri'>;
  bootFile: string;
  /** Console text that shows the success of the boot. */
  says: string;
}

const CASES: Case[] = [
  {
    firmware: 'bios-ipxe',
    macAddress: '52:54:00:00:01:01',
    address: '10.77.9.1',
    architecture: 0,
    asksForBroadcast: false,
    boot: { mode: 'Pxe' },
    bootFile: 'boot.ipxe',
    says: BOOTED,
  },
  {
    firmware: 'uefi-ipxe',
    macAddress: '52:54:00:00:01:02',
    address: '10.77.9.2',
    architecture: 7,
    asksForBroadcast: false,
    boot: { mode: 'Pxe' },
    bootFile: 'boot.ipxe',
    says: BOOTED,
  },
  {
    firmware: 'uefi-pxe',
    macAddress: '52:54:00:00:01:03',
    address: '10.77.9.3',
    architecture: 7,
    asksForBroadcast: true,
    boot: { mode: 'Pxe' },
    bootFile: 'boot.efi',
    says: 'NBP file downloaded successfully',
  },
  {
    firmware: 'uefi-http',
    macAddress: '52:54:00:00:01:04',
    address: '10.77.9.4',
    architecture: 16,
    asksForBroadcast: true,
    boot: { mode: 'UefiHttp', uri: URL_OF_OVERRIDE },
    bootFile: URL_OF_OVERRIDE,
    says: `URI: ${URL_OF_OVERRIDE}`,
  },
];

describe('a machine with real firmware', needsScene(...GUEST_TOOLS, 'udhcpc', 'dnsmasq'), () => {
  let scene: DhcpScene;
  let files: BootServer;
  beforeAll(async () => {
    scene = await DhcpScene.start({
      pool: {
        netboot: {
          nextServer: BOOT_SERVER,
          bootFiles: { bios: 'boot.0', 'efi-x64': 'boot.efi', 'http-x64': URL_OF_POOL, ipxe: 'boot.ipxe' },
        },
      },
    });
    files = new BootServer(scene.lan, BOOT_SERVER, scene.folder);
  });
  afterAll(async () => {
    await files.close();
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(scene.report());
  });

  const messagesOf = (macAddress: string, type: string, since = 0): DhcpFrame[] =>
    scene.messages.filter((frame) => frame.client === macAddress && frame.type === type && frame.time >= since);

  // Firmware waits more than it works, for keys and for other servers.
  describe.each(CASES)('$firmware', { concurrent: true }, (expected) => {
    const { firmware, macAddress, address, boot, bootFile } = expected;
    let guest: Guest;
    beforeAll(async () => {
      await scene.lease({ macAddress, address, boot: { vmiUID: `uid-of-${firmware}`, ...boot } });
      guest = new Guest({ lan: scene.lan, firmware, macAddress, folder: scene.newFolder() });
    });
    afterAll(async () => {
      await guest.close();
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') console.error(guest.report());
    });

    it('gets its lease and the boot file of its firmware', { concurrent: false, timeout: 210_000 }, async () => {
      guest.powerOn();
      await eventually(() => {
        expect(messagesOf(macAddress, 'ACK')).not.toEqual([]);
      }, PATIENCE);
      const [discover] = messagesOf(macAddress, 'DISCOVER');
      expect(discover?.options.get(93)?.readUInt16BE()).toBe(expected.architecture);
      expect(discover?.isBroadcastAsked).toBe(expected.asksForBroadcast);
      const [ack] = messagesOf(macAddress, 'ACK');
      expect(ack).toMatchObject({ yiaddr: address, bootFile, siaddr: BOOT_SERVER });
      await eventually(() => {
        expect(guest.console()).toContain(expected.says);
      }, PATIENCE);
    });

    it(
      'no longer gets a boot file after its operating system has requested an address',
      { concurrent: false },
      async () => {
        const system = new RunningClient(udhcpc, scene.machine(macAddress));
        const asked = Date.now();
        expect((await system.start()).address).toBe(`${address}/16`);
        expect(messagesOf(macAddress, 'ACK', asked)[0]).toMatchObject({ bootFile: '', siaddr: '0.0.0.0' });
        await eventually(async () => {
          expect((await scene.leaseOf(address)).status?.bootConsumedUID).toBe(`uid-of-${firmware}`);
        });
        await system.cutPower();
      },
    );

    it('gets no boot file after a reboot from inside the guest', { concurrent: false, timeout: 210_000 }, async () => {
      const rebooted = Date.now();
      await guest.reboot();
      await eventually(() => {
        expect(messagesOf(macAddress, 'OFFER', rebooted)).not.toEqual([]);
      }, PATIENCE);
      for (const answer of messagesOf(macAddress, 'OFFER', rebooted)) {
        expect(answer).toMatchObject({ yiaddr: address, bootFile: '', siaddr: '0.0.0.0' });
      }
    });
  });
});
