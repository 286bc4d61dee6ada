import { expect, it } from 'vitest';
import { roleOf } from './processes.ts';

it.each([
  ['/node /dist/groundcrew.js agent bmc --namespace fleet', 'BMC agent pod-0'],
  ['/node /dist/groundcrew.js agent dhcp --network x', 'DHCP agent pod-0'],
  ['/node --no-x /dist/groundcrew.js manager --agent-image=a', 'manager'],
  ['/node /x/cluster/api-server-program.ts null', 'API server (embedded)'],
  ['/x/bin/etcd --data-dir=/x', 'etcd'],
  ['/x/bin/kube-apiserver --etcd-servers=http://127.0.0.1', 'kube-apiserver'],
  ['/usr/bin/ipmitool -I lanplus', undefined],
])('the role of %s', (command, role) => {
  expect(roleOf(command, 'pod-0')).toBe(role);
});
