import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { startPopulatedSandbox, type PopulatedBmc, type PopulatedSandbox } from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';
import { Validators, type Verdict } from './validators.ts';
import { needsProfiles, redfishFolder } from './redfish-folder.ts';

/**
 * DMTF's own validators from PyPI, over HTTPS at BMCs of the sandbox. docs/conformance.md has their results. They mostly
 * wait, so they run at the same time, each with a BMC of its own: sessions of others come and go.
 */

const MINUTE = 60_000;
/** The validator tests the randomness of tokens statistically, at 1 % twice: it warns of one in fifty random tokens. */
const BY_CHANCE = 'RESP_HEADERS_X_AUTH_TOKEN';
/** It checks rejected POST requests, but sends none that a service with room for accounts rejects. */
const REFUSED_POST = 'REQ_DATA_MOD_ERRORS';
/** What the validator cannot test; reasons in docs/conformance.md. */
const UNTESTED =
  /^(SERV_SSDP_|SERV_SSE_|RESP_STATUS_INTERNAL_SERVER_ERROR|REQ_DATA_MOD_ERRORS|SEC_SESSION_TERMINATION_SIDE_EFFECTS)/;
const DEPRECATED = /Deprecated (Property|URI) Warning/;

const python = findTool('redfish-validators');
const folder = redfishFolder();

describe('the validators of DMTF', needs('redfish-validators'), () => {
  let stage: PopulatedSandbox;
  let taken = 0;
  /** A BMC that no other test uses. */
  const ownBmc = (): PopulatedBmc => stage.all[(taken += 1) - 1] ?? expect.fail('the sandbox has too few BMCs');

  beforeAll(async () => {
    stage = await startPopulatedSandbox(4);
  }, 2 * MINUTE);

  afterAll(async () => {
    await stage.sandbox.close();
  });

  it.concurrent(
    'find no schema errors, only deprecated properties that are intended',
    { timeout: 6 * MINUTE },
    async () => {
      const verdict = await validatorsOf(ownBmc()).service(folder && join(folder, 'csdl'));
      console.log('service validator', totals(verdict));
      expect(failures(verdict)).toEqual([]);
      expect(verdict.pass).toBeGreaterThanOrEqual(1000);
      expect(verdict.findings.filter(({ message }) => !DEPRECATED.test(message))).toEqual([]);
    },
  );

  it.concurrent('find nothing without legacy properties', { timeout: 6 * MINUTE }, async () => {
    const own = ownBmc();
    await hideLegacyProperties(stage, own);
    const verdict = await validatorsOf(own).service(folder && join(folder, 'csdl'));
    console.log('service validator, legacyProperties: false', totals(verdict));
    expect(verdict).toMatchObject({ warn: 0, fail: 0, findings: [] });
    expect(verdict.pass).toBeGreaterThanOrEqual(1000);
  });

  it.concurrent('test a rejected POST if there is no room for another account', { timeout: 3 * MINUTE }, async () => {
    const own = ownBmc();
    await fillAccounts(own);
    const { findings } = await validatorsOf(own).protocol();
    // The other findings need a free account.
    expect(findings.filter(({ what }) => what.startsWith(REFUSED_POST))).toEqual([]);
  });

  describe('one after the other', { concurrent: true }, () => {
    let own: PopulatedBmc;
    beforeAll(() => {
      own = ownBmc();
    });

    it('find no protocol errors', { concurrent: false, timeout: 6 * MINUTE }, async () => {
      const validators = validatorsOf(own);
      let verdict = await validators.protocol();
      const isUnlucky = (): boolean => verdict.findings.some(({ what }) => what.startsWith(BY_CHANCE));
      for (let again = 0; again < 2 && isUnlucky(); again += 1) verdict = await validators.protocol();
      console.log('protocol validator', totals(verdict));
      expect(verdict.findings.filter(({ what }) => !UNTESTED.test(what))).toEqual([]);
      expect(verdict).toMatchObject({ warn: 0, fail: 0 });
      expect(verdict.pass).toBeGreaterThanOrEqual(200);
    });

    // After the requests of the protocol validator, the log has entries of all kinds.
    it.each([
      ['OpenStackIronicProfile.v1_2_0', 9],
      ['OCPBaselineHardwareManagement.v1_0_1', Infinity],
      ['OCPBaselineHardwareManagement.v1_1_1', Infinity],
      ['OCPServerHardwareManagement.v1_1_0', Infinity],
      ['OCPServiceBaseline.v1_0_0', Infinity],
    ])(
      'find nothing against %s',
      { ...needsProfiles(), concurrent: false, timeout: 3 * MINUTE },
      async (profile, untested) => {
        const verdict = await validatorsOf(own).interop(join(folder ?? '', 'profiles', `${profile}.json`));
        console.log(profile, totals(verdict));
        expect(failures(verdict)).toEqual([]);
        expect(verdict).toMatchObject({ warn: 0, fail: 0 });
        expect(verdict.pass).toBeGreaterThan(0);
        expect(verdict.notTested).toBeLessThanOrEqual(untested);
      },
    );
  });
});

function validatorsOf({ bmc: { redfish: url, username, password } }: PopulatedBmc): Validators {
  return new Validators(python ?? '', { url, username, password });
}

async function fillAccounts({ redfish }: PopulatedBmc): Promise<void> {
  for (let number = 1; number <= 20; number += 1) {
    const account = { UserName: `filler${number}`, Password: `no-room-${number}`, RoleId: 'ReadOnly' };
    const { status } = await redfish.send('POST', '/redfish/v1/AccountService/Accounts', account);
    if (status !== 201) return;
  }
  throw new Error('there is room for more accounts than IPMI has numbers');
}

function failures({ findings }: Verdict): Verdict['findings'] {
  return findings.filter(({ result }) => result === 'FAIL');
}

function totals({ pass, warn, fail, notTested }: Verdict): string {
  return `PASS ${pass}, WARN ${warn}, FAIL ${fail}, not tested ${notTested}`;
}

async function hideLegacyProperties(
  { sandbox }: PopulatedSandbox,
  { bmc: { namespace, name }, redfish }: PopulatedBmc,
): Promise<void> {
  await sandbox.client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name }, 'merge', {
    spec: { redfish: { legacyProperties: false } },
  });
  await eventually(async () => {
    expect('IndicatorLED' in (await redfish.get('/redfish/v1/Systems/1'))).toBe(false);
  });
}
