import { describe, expect, it } from 'vitest';
import { CUSTOM_RESOURCES } from './custom-resources.ts';
import { referenceOf } from './reference.ts';

const reference = Object.fromEntries(CUSTOM_RESOURCES.map((resource) => [resource.kind.kind, referenceOf(resource)]));

describe('the API reference', () => {
  it('shows a field with its path, type, limits and description', () => {
    expect(reference.IPPool).toContain(
      "| `networkName` | string (≤ 317), required | The net-attach-def that the pool serves, as namespace/name; without a namespace: the pool's own. Immutable. |",
    );
    expect(reference.IPPool).toContain('| `ipv4Config.dns` | list of ipv4 (≤ 3) | DNS servers (option 6). |');
    expect(reference.IPPool).toContain('| `ipv4Config.reservations[].ipAddress` | ipv4, required |');
    expect(reference.VirtualMachineBMC).toContain('| `ipmi.cipherSuites` | list of `17`, `3` (≤ 2) |');
    expect(reference.VirtualMachineBMC).toContain('| `agent.resources.limits` | map to quantity |');
    expect(reference.VirtualMachineBMC).toContain('| `ipmi.lockout.seconds` | int32 1–86400 |');
  });

  it('says of what is accepted and has no effect that it is not served', () => {
    const rows = (reference.VirtualMachineBMC ?? '').split('\n').filter((row) => row.startsWith('| `'));
    const said = rows.filter((row) => row.endsWith('Not served by this version. |'));
    const unserved = /^\| `placement`/;
    expect(said).toEqual(rows.filter((row) => unserved.test(row)));
    expect(said).toHaveLength(1);
  });

  it('does not repeat what core/v1 describes', () => {
    expect(reference.VirtualMachineBMC).toContain('| `agent.affinity` |');
    expect(reference.VirtualMachineBMC).not.toContain('affinity.nodeAffinity');
  });

  it('lists the rules with their expressions', () => {
    expect(reference.VirtualMachineNetworkConfig).toContain('- `spec.vmName`: field is immutable (`self == oldSelf`)');
  });
});
