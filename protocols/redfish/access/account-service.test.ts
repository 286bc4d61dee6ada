import { beforeEach, describe, expect, it } from 'vitest';
import { AccessBench, ADDRESS, refusalOf } from '../testing/access-bench.ts';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

const service = () => bench.at('/AccountService');

async function patch(changes: Record<string, number>): Promise<void> {
  await service().patch?.apply(changes, bench.caller('admin'));
}

describe('AccountService', () => {
  it('shows the lockout policy', async () => {
    expect(await service().read()).toMatchObject({
      AccountLockoutThreshold: 5,
      AccountLockoutDuration: 60,
      AccountLockoutCounterResetAfter: 60,
      LocalAccountAuth: 'Enabled',
      HTTPBasicAuth: 'Enabled',
      MinPasswordLength: 8,
      MaxPasswordLength: 128,
      SupportedAccountTypes: ['Redfish', 'IPMI'],
    });
  });

  it('includes IPMI only if IPMI is served', async () => {
    bench.network = { hostName: 'testvm-bmc', addresses: [], httpsPort: 443 };
    expect(await service().read()).toMatchObject({ SupportedAccountTypes: ['Redfish'] });
  });

  it('accepts a lockout policy', async () => {
    await patch({
      AccountLockoutThreshold: 3,
      AccountLockoutDuration: 120,
      AccountLockoutCounterResetAfter: 30,
    });
    expect(bench.access.logins.lockout).toEqual({ threshold: 3, seconds: 120, countedFor: 30 });
    await patch({ AccountLockoutDuration: 20 });
    expect(bench.access.logins.lockout).toEqual({ threshold: 3, seconds: 20, countedFor: 20 });
    await patch({ AccountLockoutThreshold: 0 });
    expect(bench.told).toEqual([
      `admin@${ADDRESS} users are now locked out for 120 s after 3 wrong passwords`,
      `admin@${ADDRESS} users are now locked out for 20 s after 3 wrong passwords`,
      `admin@${ADDRESS} wrong passwords no longer lock out users`,
    ]);
  });

  it('accepts a minimum length of new passwords', async () => {
    await patch({ MinPasswordLength: 12 });
    expect(await service().read()).toMatchObject({ MinPasswordLength: 12 });
    expect(bench.told).toEqual([`admin@${ADDRESS} new passwords now need 12 characters`]);
  });

  it('keeps the owner’s values for settings that clients have not set', async () => {
    await patch({ AccountLockoutThreshold: 3 });
    bench.lockout = { threshold: 9, seconds: 90 };
    expect(bench.access.logins.lockout).toEqual({ threshold: 3, seconds: 90, countedFor: 90 });
  });

  it('counts failures no longer than the lockout duration', async () => {
    const refusal = await refusalOf(() => patch({ AccountLockoutCounterResetAfter: 61 }));
    expect(refusal).toBe('400 PropertyValueConflict');
    expect(bench.state.current()).toEqual({});
  });
});

describe('roles', () => {
  it('are three, with the privileges of the standard', async () => {
    expect(
      bench
        .at('/AccountService/Roles')
        .members?.()
        .map(({ uri }) => uri.split('/').at(-1)),
    ).toEqual(['Administrator', 'Operator', 'ReadOnly']);
    expect(await bench.at('/AccountService/Roles/Operator').read()).toMatchObject({
      RoleId: 'Operator',
      IsPredefined: true,
      AssignedPrivileges: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
    });
    expect(bench.has('/AccountService/Roles/NoAccess')).toBe(false);
  });
});
