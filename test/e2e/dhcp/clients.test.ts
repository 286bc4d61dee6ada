import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import type { DhcpFrame } from '../../harness/namespaces/index.ts';
import { dhclient, dhcpcd, Networkd, RunningClient, udhcpc, type Binding, type ClientKind } from './clients/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

/** Long enough for T1 of the shortest lease that all clients accept. */
const RENEWAL = 60_000;
const LEASE_TIME = 20;

const KINDS: { kind: ClientKind; macAddress: string; subnet: string }[] = [
  { kind: dhclient, macAddress: '52:54:00:00:00:01', subnet: '10.77.1' },
  { kind: udhcpc, macAddress: '52:54:00:00:00:02', subnet: '10.77.2' },
  { kind: dhcpcd, macAddress: '52:54:00:00:00:03', subnet: '10.77.3' },
];

/** Of the tests of one client; those of others run at the same time. */
const inTurn = { concurrent: false };

/** The settings of the pool and the lease, as a client applies them. */
function bindingOf(address: string): Binding {
  return {
    address: `${address}/16`,
    server: '10.77.0.1',
    leaseTime: LEASE_TIME,
    // Empty if there are classless routes, which contain the router (RFC 3442).
    router: '',
    dns: ['10.77.0.53', '10.77.0.54'],
    domain: 'example.org',
    search: ['a.example.org', 'b.example.org'],
    ntp: ['10.77.0.123'],
    mtu: 1400,
    hostname: 'web-1',
    routes: ['192.168.5.0/24 10.77.0.253', '0.0.0.0/0 10.77.0.254'],
  };
}

describe('a real client on a VM network', needsScene(), () => {
  let scene: DhcpScene;
  beforeAll(async () => {
    scene = await DhcpScene.start({ pool: { leaseTime: LEASE_TIME } });
  });
  afterAll(async () => {
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(scene.report());
  });

  const messagesOf = (macAddress: string, since = 0): DhcpFrame[] =>
    scene.messages.filter(({ client, time }) => client === macAddress && time >= since);
  /** Message types in the order of their first occurrence: clients retransmit on a slow machine. */
  const kinds = (frames: readonly DhcpFrame[]): string[] => [...new Set(frames.map(({ type }) => type))];
  /** The messages of a client, once all that it has exchanged are recorded: the client may know of them earlier. */
  const exchange = async (macAddress: string, types: readonly string[], since = 0): Promise<DhcpFrame[]> =>
    await eventually(() => {
      const messages = messagesOf(macAddress, since);
      expect(kinds(messages)).toEqual(types);
      return messages;
    });
  const first = (frames: readonly DhcpFrame[], type: string): DhcpFrame | undefined =>
    frames.find((frame) => frame.type === type);

  describe.each(KINDS)('$kind.tool', { concurrent: true }, ({ kind, macAddress, subnet }) => {
    describe('with a served lease', needsScene(kind.tool), () => {
      const former = `${subnet}.1`;
      const latter = `${subnet}.2`;
      let client: RunningClient;
      let restarted: number;
      beforeAll(async () => {
        await scene.lease({ macAddress, address: former, hostname: 'web-1' });
        client = new RunningClient(kind, scene.machine(macAddress));
      });

      it('gets the address of its lease and all options of the pool', inTurn, async () => {
        expect(await client.start()).toEqual(bindingOf(former));
      });

      it(
        'requests without the broadcast flag, and gets broadcast answers from the server address',
        inTurn,
        async () => {
          const messages = await exchange(macAddress, ['DISCOVER', 'OFFER', 'REQUEST', 'ACK']);
          for (const type of ['DISCOVER', 'REQUEST']) expect(first(messages, type)?.isBroadcastAsked).toBe(false);
          for (const type of ['OFFER', 'ACK']) {
            const broadcast = { from: '10.77.0.1', to: '255.255.255.255', toPort: 68, yiaddr: former };
            expect(first(messages, type)).toMatchObject(broadcast);
          }
        },
      );

      it('renews by unicast', { ...inTurn, timeout: RENEWAL }, async () => {
        const since = Date.now();
        expect(await client.renew()).toEqual(bindingOf(former));
        const messages = await exchange(macAddress, ['REQUEST', 'ACK'], since);
        expect(first(messages, 'REQUEST')).toMatchObject({ from: former, to: '10.77.0.1', ciaddr: former });
        expect(first(messages, 'ACK')).toMatchObject({ from: '10.77.0.1', to: former, toPort: 68, yiaddr: former });
      });

      it('gets another address when its lease has another one', inTurn, async () => {
        await scene.release(former);
        await scene.lease({ macAddress, address: latter, hostname: 'web-1' });
        // A client that asks before the agent has read the change keeps its address.
        await eventually(async () => {
          if (kind.remembers) await client.cutPower();
          restarted = Date.now();
          expect(await (kind.remembers ? client.start() : client.renew())).toEqual(bindingOf(latter));
        });
      });

      it('gets a NAK for the previous address', inTurn, async () => {
        const messages = await exchange(macAddress, ['REQUEST', 'NAK', 'DISCOVER', 'OFFER', 'ACK'], restarted);
        expect(messages[0]?.options.get(54)).toBeUndefined();
      });

      it('releases its lease', inTurn, async () => {
        await client.release();
        await eventually(async () => {
          expect(messagesOf(macAddress).at(-1)?.type).toBe('RELEASE');
          expect((await scene.leaseOf(latter)).status?.state).toBe('Released');
        });
      });
    });
  });

  describe('systemd-networkd', { ...needsScene('systemd-networkd'), concurrent: true }, () => {
    const macAddress = '52:54:00:00:00:05';
    let networkd: Networkd;
    beforeAll(() => {
      networkd = new Networkd(scene.machine(macAddress));
    });
    afterAll(() => networkd.close());
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') console.error(networkd.log());
    });

    it('gets the address of its lease and the routes', inTurn, async () => {
      await scene.lease({ macAddress, address: '10.77.5.1' });
      networkd.start();
      await eventually(() => {
        expect(networkd.addresses()).toEqual(['10.77.5.1/16']);
        expect(networkd.routes()).toEqual(['192.168.5.0/24 10.77.0.253', 'default 10.77.0.254']);
      });
      expect(messagesOf(macAddress).filter(({ isBroadcastAsked }) => isBroadcastAsked)).toEqual([]);
    });

    it('gets a NAK when it renews after its lease has changed', { ...inTurn, timeout: RENEWAL }, async () => {
      const since = Date.now();
      await scene.release('10.77.5.1');
      await scene.lease({ macAddress, address: '10.77.5.2' });
      await eventually(
        () => {
          expect(networkd.addresses()).toEqual(['10.77.5.2/16']);
        },
        { timeout: RENEWAL },
      );
      const messages = await exchange(macAddress, ['REQUEST', 'NAK', 'DISCOVER', 'OFFER', 'ACK'], since);
      expect(first(messages, 'REQUEST')).toMatchObject({ from: '10.77.5.1', to: '10.77.0.1', ciaddr: '10.77.5.1' });
    });
  });

  it('gets the router if it does not request routes', needsScene('udhcpc'), async () => {
    const macAddress = '52:54:00:00:00:04';
    await scene.lease({ macAddress, address: '10.77.4.1', hostname: 'web-1' });
    const client = new RunningClient(udhcpc, { ...scene.machine(macAddress), classlessRoutes: false });
    expect(await client.start()).toEqual({ ...bindingOf('10.77.4.1'), router: '10.77.0.254', routes: [] });
  });

  it('no DHCP message leaves through another interface', () => {
    expect(scene.messages.length).toBeGreaterThan(0);
    expect(scene.strayMessages).toEqual([]);
  });
});
