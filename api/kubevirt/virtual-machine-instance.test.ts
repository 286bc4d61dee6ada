import { expect, it } from 'vitest';
import { consolePath } from './virtual-machine-instance.ts';

it('the console path escapes names', () => {
  expect(consolePath('vms', 'a')).toBe(
    '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachineinstances/a/console',
  );
  expect(consolePath('vms', 'a', 'vnc/screenshot')).toContain('/virtualmachineinstances/a/vnc/screenshot');
  expect(consolePath('vms', '../b')).toContain('/virtualmachineinstances/..%2Fb/console');
});
