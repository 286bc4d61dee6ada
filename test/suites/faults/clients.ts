import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { RedfishClient } from '../../harness/sandbox/redfish-client.ts';
import { datagramsIn } from '../dhcp-agent/agent-process.ts';
import type { Questioned, Questioner } from '../dhcp-agent/questioner.ts';
import type { Fleet, Machine } from './fleet.ts';

const APP = 6;
const GET_DEVICE_ID = 1;
const CHASSIS = 0;
const GET_CHASSIS_STATUS = 1;
/** Completion code: the power state is not known. */
const DESTINATION_UNAVAILABLE = 0xd3;
const SYSTEM = '/redfish/v1/Systems/1';
/** Ports of the agents' containers; the manager gives DHCP agents their port in its arguments. */
const PORTS = { ipmi: 10_623, redfish: 10_443, health: 10_080, dhcp: 10_067 };

export interface Expected {
  /** Whether an agent may answer that it does not know the power state. */
  mayNotKnow: boolean;
  /** BMCs and DHCP agents that do not answer. */
  lost: readonly string[];
}

/** Reads each BMC by IPMI and Redfish with a new log-in, and gets each address from each DHCP agent. */
export async function expectServing(fleet: Fleet, questioner: Questioner, expected: Expected): Promise<void> {
  for (const machine of fleet.machines) {
    if (!expected.lost.includes(machine.bmc)) await expectBmc(fleet, machine, expected.mayNotKnow);
    for (const host of fleet.dhcpAgents) {
      if (expected.lost.includes(host)) continue;
      const answer = await questioner.lease(dhcpAgent(host), machine.index);
      expect(answer, `DHCP agent ${host} to ${machine.name}`).toMatchObject({ type: 'ACK', address: machine.address });
    }
  }
}

/** Resolves when the agents serve the settings of the last change. */
export async function expectCurrent(fleet: Fleet, questioner: Questioner): Promise<void> {
  for (const host of fleet.dhcpAgents) {
    const answer = await questioner.lease(dhcpAgent(host), fleet.machines[0]?.index ?? 0);
    expect(answer?.option(6)).toBe(fleet.dns);
  }
  await expectServing(fleet, questioner, { mayNotKnow: false, lost: [] });
}

/** The HTTP status of the answer, after at most 10 s. */
export async function restart(fleet: Fleet, machine: Machine): Promise<number> {
  return (await redfish(fleet, machine).reset('ForceRestart')).status;
}

/** @returns the HTTP status of the answer */
export async function powerOn(fleet: Fleet, machine: Machine): Promise<number> {
  return (await redfish(fleet, machine).reset('On')).status;
}

async function expectBmc(fleet: Fleet, machine: Machine, mayNotKnow: boolean): Promise<void> {
  const transport = await udpTransport(machine.bmc, PORTS.ipmi, 5000);
  try {
    const client = new RmcpPlusClient(transport);
    await client.login(fleet.access);
    expect((await client.command(APP, GET_DEVICE_ID)).completionCode).toBe(0);
    const { completionCode, data } = await client.command(CHASSIS, GET_CHASSIS_STATUS);
    if (!mayNotKnow || completionCode !== DESTINATION_UNAVAILABLE) {
      expect(completionCode, machine.name).toBe(0);
      expect((data[0] ?? 0) & 1, machine.name).toBe(machine.isOn ? 1 : 0);
    }
    await client.logout();
  } finally {
    transport.close();
  }
  const web = redfish(fleet, machine);
  expect(await web.get('/redfish/v1/')).toMatchObject({ RedfishVersion: expect.any(String) as string });
  const { status, body } = await web.send('GET', SYSTEM);
  if (mayNotKnow && status === 503) return;
  expect([status, body['PowerState']], machine.name).toEqual([200, machine.isOn ? 'On' : 'Off']);
}

function redfish(fleet: Fleet, { bmc }: Machine): RedfishClient {
  return new RedfishClient({ redfish: `https://${bmc}:${PORTS.redfish}`, ...fleet.access });
}

function dhcpAgent(host: string): Questioned {
  const metrics = `http://${host}:${PORTS.health}/metrics`;
  return {
    host,
    port: PORTS.dhcp,
    // fetch refuses the port 10080.
    handled: async () => {
      const [answer] = (await once(get(metrics), 'response')) as [IncomingMessage];
      return datagramsIn((await text(answer)).split('\n'));
    },
  };
}
