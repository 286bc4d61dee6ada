import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES } from '../../../api/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { RedfishClient } from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';
import { bmclib, type BmclibLine, type BmclibOptions } from './bmclib.ts';
import { startClientStage, type ClientStage } from './client-stage.ts';
import { runProgram } from './run-program.ts';

/**
 * Libraries of other projects with a BMC of the sandbox: bmclib of Tinkerbell's Rufio with gofish and ipmitool, and
 * go-ipmi.
 */

const MINUTE = 60_000;
const SYSTEM = '/redfish/v1/Systems/1';
const ACCOUNTS = '/redfish/v1/AccountService/Accounts';

let stage: ClientStage;

beforeAll(async () => {
  stage = await startClientStage();
}, 2 * MINUTE);

afterAll(async () => {
  await stage.close();
});

async function powerIs(state: 'On' | 'Off'): Promise<void> {
  await eventually(
    async () => {
      expect(await stage.redfish.get(SYSTEM)).toMatchObject({ PowerState: state });
    },
    { timeout: 30_000 },
  );
}

/** UID of the running instance, which changes with a power cycle; undefined while the machine is off. */
async function runningUid(): Promise<string | undefined> {
  const { namespace, virtualMachine: name } = stage.bmc;
  return (await stage.sandbox.client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name }))?.metadata.uid;
}

async function runsAnew(than: string | undefined): Promise<void> {
  await eventually(
    async () => {
      expect([undefined, than]).not.toContain(await runningUid());
    },
    { timeout: 30_000 },
  );
}

async function bootIs(override: object): Promise<void> {
  expect((await stage.redfish.get(SYSTEM))['Boot']).toMatchObject(override);
}

const override = (enabled: string, target: string, mode: string) => ({
  BootSourceOverrideEnabled: enabled,
  BootSourceOverrideTarget: target,
  BootSourceOverrideMode: mode,
});

describe('bmclib', needs('bmclib-client', 'ipmitool'), () => {
  async function ask(options: BmclibOptions, ...calls: string[]): Promise<BmclibLine[]> {
    const [, ...lines] = await bmclib(stage, options, ...calls);
    return lines;
  }

  it('finds gofish and ipmitool compatible, and no vendor driver', async () => {
    const [opened] = await bmclib(stage, {});
    expect(opened).toEqual({ call: 'open', result: ['gofish', 'ipmitool'] });
  });

  it('does not open it over Redfish with an untrusted certificate', async () => {
    const [opened] = await bmclib(stage, { driver: 'gofish', authority: null });
    expect(opened).toEqual({ call: 'open', error: expect.stringContaining('x509') as string });
  });

  it('does not open it with a wrong password', async () => {
    const wrong = { ...stage, bmc: { ...stage.bmc, password: 'guessed' } };
    const [opened] = await bmclib(wrong, { driver: 'gofish' });
    expect(opened).toEqual({ call: 'open', error: expect.stringContaining('401') as string });
  });

  describe.each(['gofish', 'ipmitool'] as const)('with %s', (driver) => {
    it('powers it on and off', async () => {
      // bmclib's gofish driver sends ForceRestart to cycle and PowerCycle to reset.
      const anew = driver === 'gofish' ? 'reset' : 'cycle';
      for (const [action, state] of [
        ['off', 'Off'],
        ['off', 'Off'],
        ['on', 'On'],
        ['on', 'On'],
        ['cycle', 'On'],
        ['reset', 'On'],
      ] as const) {
        const call = `power-set:${action}`;
        const before = await runningUid();
        expect(await ask({ driver }, call)).toEqual([{ call, result: true, driver }]);
        if (action === anew) await runsAnew(before);
        await powerIs(state);
      }
      const [power] = await ask({ driver }, 'power');
      expect(power?.result).toMatch(/on\n?$/i);
    });

    it('shuts it down', async () => {
      const [line] = await ask({ driver }, 'power-set:soft');
      await powerIs('Off');
      // bmclib treats the success of the gofish driver as a failure: SystemPowerOff returns false.
      if (driver === 'ipmitool') expect(line).toMatchObject({ result: true });
      else
        expect(line).toMatchObject({
          result: false,
          error: expect.stringContaining('failed to set power state') as string,
        });
      await ask({ driver }, 'power-set:on');
      await powerIs('On');
    });

    it.each([
      ['pxe:once:efi', 'Once', 'Pxe', 'UEFI'],
      ['pxe:once:legacy', 'Once', 'Pxe', 'Legacy'],
      ['disk:persistent:efi', 'Continuous', 'Hdd', 'UEFI'],
      ['cdrom:once:efi', 'Once', 'Cd', 'UEFI'],
      ['cdrom:persistent:legacy', 'Continuous', 'Cd', 'Legacy'],
      ['bios:once:efi', 'Once', 'BiosSetup', 'UEFI'],
    ])('boots from %s', async (device, enabled, target, mode) => {
      const call = `boot-set:${device}`;
      expect(await ask({ driver }, call)).toEqual([{ call, result: true, driver }]);
      await bootIs(override(enabled, target, mode));
      await stage.redfish.send('PATCH', SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Disabled' } });
    });

    it('reads the users', async () => {
      const name = driver === 'gofish' ? 'Username' : 'Name';
      const [line] = await ask({ driver }, 'users');
      expect(line?.result).toEqual([expect.objectContaining({ ID: '2', [name]: 'admin' })]);
    });

    it('clears and reads the event log', async () => {
      const [, cleared, log] = await ask({ driver }, 'log', 'log-clear', 'log');
      expect(cleared).toEqual({ call: 'log-clear', driver });
      expect(JSON.stringify(log?.result)).toMatch(driver === 'gofish' ? /The log was cleared/ : /Log area reset/);
    });
  });

  it('reads the boot override with gofish', async () => {
    const [, set] = await ask({ driver: 'gofish' }, 'boot-set:pxe:once:efi', 'boot');
    expect(set?.result).toEqual({ IsPersistent: false, IsEFIBoot: true, Device: 'pxe' });
    await stage.redfish.send('PATCH', SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Disabled' } });
  });

  it('inserts an image with gofish, replaces it, and ejects it', { timeout: 2 * MINUTE }, async () => {
    for (const image of [stage.image, `${stage.image}?again`, '']) {
      const call = `media:CD=${image}`;
      expect(await ask({ driver: 'gofish' }, call)).toEqual([{ call, result: true, driver: 'gofish' }]);
      // The query of a URL may be a signature, so it is masked.
      const shown = image.replace('?again', '?***');
      const wanted = image === '' ? { Inserted: false, Image: null } : { Inserted: true, Image: shown };
      await eventually(
        async () => {
          expect(await stage.redfish.get(`${SYSTEM}/VirtualMedia/Cd`)).toMatchObject(wanted);
        },
        {
          timeout: 30_000,
        },
      );
    }
  });

  it('reads the inventory with gofish', async () => {
    const [line] = await ask({ driver: 'gofish' }, 'inventory');
    expect(line?.result).toMatchObject({
      bmc: { id: '1', status: { Health: 'OK', State: 'Enabled' } },
      cpus: [{ architecture: 'x86', cores: 2, threads: 2 }],
      memory: [{ slot: '1', type: 'DRAM', size_bytes: 2 * 2 ** 30 }],
      drives: [{ storage_controller: '1' }],
      enclosures: [{ vendor: 'KubeVirt' }],
    });
  });

  it('changes the password of an existing user with gofish', async () => {
    const account = { UserName: 'oper', Password: 'Correct-horse-7', RoleId: 'ReadOnly' };
    const { headers } = await stage.redfish.send('POST', ACCOUNTS, account);
    const [line] = await ask({ driver: 'gofish' }, 'user-update:oper:Correct-horse-8:Operator');
    expect(line).toMatchObject({ result: true });
    const oper = new RedfishClient({ ...stage.bmc, username: 'oper', password: 'Correct-horse-8' });
    expect(await oper.get(String(headers['location']))).toMatchObject({ UserName: 'oper', RoleId: 'Operator' });
    await stage.redfish.send('DELETE', String(headers['location']));
  });

  it('looks with gofish for empty accounts to create users in, as some vendors have', async () => {
    const [line] = await ask({ driver: 'gofish' }, 'user-create:oper:Correct-horse-7:Operator');
    expect(line?.error).toContain('no user account slots available');
  });

  it('deactivates the console with ipmitool, also if it is not in use', async () => {
    expect(await ask({ driver: 'ipmitool' }, 'console-deactivate')).toEqual([
      { call: 'console-deactivate', driver: 'ipmitool' },
    ]);
  });
});

describe('go-ipmi', needs('goipmi'), () => {
  async function goipmi(...words: string[]): Promise<string> {
    const { ipmi, username, password } = stage.bmc;
    const login = ['-I', 'lanplus', '-H', ipmi.host, '-p', String(ipmi.port), '-U', username, '-P', password];
    const { code, stdout, stderr } = await runProgram(findTool('goipmi') ?? '', [...login, ...words]);
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    return stdout;
  }

  it.each([
    ['mc info', /IPMI Version +: 2\.0/],
    ['mc acpi get', /S0\/G0, working/],
    ['mc watchdog get', /Watchdog Timer Is +: Stopped/],
    ['chassis status', /System Power +: on/],
    ['chassis poh', /POH Counter/],
    ['chassis restart_cause', /System restart cause/],
    ['sel info', /Version +: 1\.5/],
    ['sel list', /System Event .* System Reconfigured/],
    ['sdr info', /Record Count/],
    ['sdr list', /Memory .* 2048\.00 .* megabyte .* ok/],
    ['sdr get Memory', /Sensor Reading +: 2048\.0000/],
    ['sensor list', /vCPUs .* 2\.000/],
    ['sensor get 1', /S0 \/ G0 \(working\)/],
    ['fru print', /Product Mfg +: KubeVirt/],
    ['user list', /2 \| admin .* ADMINISTRATOR/],
    ['user summary', /Maximum IDs +: 16/],
    ['lan print 1', /IP Address +: 127\.0\.0\.1/],
    ['channel info 1', /802\.3 LAN/],
    ['channel getciphers', /17 .*hmac_sha256/],
    ['session info active', /IPMIv2\/RMCP\+/],
    ['sol info', /SOL Enable +: true/],
    ['dcmi discover', /Primary LAN channel number +: 1/],
    ['dcmi get_mc_id_string', /default\/vm-1/],
    ['raw 0x06 0x01', /^20 01 /],
  ])('requests %s', async (command, wanted) => {
    expect(await goipmi(...command.split(' '))).toMatch(wanted);
  });

  it('powers it on and off', async () => {
    for (const [action, state] of [
      ['off', 'Off'],
      ['on', 'On'],
      ['cycle', 'On'],
      ['reset', 'On'],
      ['soft', 'Off'],
      ['on', 'On'],
    ] as const) {
      const before = await runningUid();
      await goipmi('chassis', 'power', action);
      if (action === 'cycle') await runsAnew(before);
      await powerIs(state);
      expect(await goipmi('chassis', 'power', 'status')).toBe(`Chassis Power is ${state.toLowerCase()}\n`);
    }
  });

  it('boots from the boot flags that it sets as valid, which its command line does only with an option', async () => {
    await goipmi('chassis', 'bootdev', 'pxe');
    await bootIs({ BootSourceOverrideEnabled: 'Disabled' });
    await goipmi('chassis', 'bootdev', 'pxe', 'options=valid');
    await bootIs(override('Once', 'Pxe', 'Legacy'));
    await goipmi('chassis', 'bootdev', 'disk', 'options=valid,persistent,efiboot');
    await bootIs(override('Continuous', 'Hdd', 'UEFI'));
    expect(await goipmi('chassis', 'bootparam', 'get', '5')).toMatch(/Boot Flag Valid[^]*Force.*Hard/i);
    await goipmi('chassis', 'bootdev', 'none', 'options=valid');
    await bootIs({ BootSourceOverrideEnabled: 'Disabled' });
  });
});
