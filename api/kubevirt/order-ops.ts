import { type BootDevice, bootDevicesOf, type BootOrders } from './boot-devices.ts';
import { POD_INTERFACE, type PodBinding, withImpliedDevices } from './implied-devices.ts';
import { type JsonPatchOp, unchangedSince } from './template-notes.ts';
import type { Disk, Interface, VirtualMachine } from './virtual-machine.ts';

const DEVICES = '/spec/template/spec/domain/devices';

export interface DeviceChanges {
  /** Binding of an added interface. */
  binding?: PodBinding | undefined;
  /** Keys of removed devices. */
  removed?: readonly string[];
}

/** Operations that set the boot orders of a VM's template. Devices that KubeVirt would add are added if they get an order. */
export function orderOps(vm: VirtualMachine, orders: BootOrders, changes: DeviceChanges): JsonPatchOp[] {
  return (['disks', 'interfaces'] as const).flatMap((list) => {
    const devices = bootDevicesOf(vm.spec.template.spec).filter((device) => device.list === list);
    const isAdded = devices.some(({ key, implied }) => implied && (orders[key] ?? 0) > 0);
    const isRemoved = devices.some(({ key }) => changes.removed?.includes(key) === true);
    return isAdded || isRemoved ? listOps(vm, list, orders, changes) : deviceOps(vm, list, orders);
  });
}

/** For a list whose devices stay the same. */
function deviceOps(vm: VirtualMachine, list: BootDevice['list'], orders: BootOrders): JsonPatchOp[] {
  const changed = bootDevicesOf(vm.spec.template.spec).filter(
    (device) => device.list === list && !device.implied && (orders[device.key] ?? 0) !== device.order,
  );
  if (changed.length === 0) return [];
  const path = `${DEVICES}/${list}`;
  return [
    { op: 'test', path, value: vm.spec.template.spec.domain.devices[list] },
    ...changed.map((device): JsonPatchOp => {
      const order = orders[device.key] ?? 0;
      const at = `${path}/${device.index}/bootOrder`;
      return order === 0 ? { op: 'remove', path: at } : { op: 'add', path: at, value: order };
    }),
  ];
}

function listOps(
  vm: VirtualMachine,
  list: BootDevice['list'],
  orders: BootOrders,
  { binding, removed = [] }: DeviceChanges,
): JsonPatchOp[] {
  const before = vm.spec.template.spec;
  const isLeft = removed.length > 0;
  const after = isLeft ? before : withImpliedDevices(before, binding);
  const entries = bootDevicesOf(before)
    .filter((device) => device.list === list && !removed.includes(device.key) && !(isLeft && device.implied))
    .map(({ key, index }) => withOrder(after.domain.devices[list]?.[index], orders[key] ?? 0));
  const ops = written(vm, `${DEVICES}/${list}`, before.domain.devices[list], entries);
  if (list === 'disks') return ops;
  const networks = isLeft ? before.networks?.filter(({ name }) => name !== POD_INTERFACE) : after.networks;
  return [...ops, ...written(vm, '/spec/template/spec/networks', before.networks, networks ?? [])];
}

function withOrder(device: Disk | Interface | undefined, order: number): object {
  const { bootOrder: _before, ...rest } = device ?? {};
  return order === 0 ? rest : { ...rest, bootOrder: order };
}

/** KubeVirt removes empty lists. */
function written(
  vm: VirtualMachine,
  path: string,
  before: readonly unknown[] | undefined,
  after: readonly unknown[],
): JsonPatchOp[] {
  if (before === undefined) return [unchangedSince(vm), { op: 'add', path, value: after }];
  const guard: JsonPatchOp = { op: 'test', path, value: before };
  return after.length === 0 ? [guard, { op: 'remove', path }] : [guard, { op: 'replace', path, value: after }];
}
