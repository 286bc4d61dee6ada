import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '@groundcrew/controller-runtime';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { BootWorld, firstDevice } from '../../testing/boot-world.ts';
import { refusal } from '../../testing/fake-api.ts';

const pxe: BootOverride = { device: 'Pxe', persistence: 'Once' };
const cd: BootOverride = { device: 'Cd', persistence: 'Continuous' };

/** Error of kube-apiserver 1.34 while virt-api is down. */
const WEBHOOK_AWAY =
  'Internal error occurred: failed calling webhook "virtualmachine-validator.kubevirt.io": failed to call webhook: ' +
  'Post "https://virt-api.kubevirt.svc:443/virtualmachines-validate?timeout=10s": dial tcp 10.0.0.7:443: connect: connection refused';

const isVmPatch = ({ method, path }: TransportRequest) => method === 'PATCH' && path.includes('/virtualmachines/');
const isStatusWrite = ({ method, path }: TransportRequest) => method === 'PATCH' && path.includes('bmcs/');

function refuseVmPatches(world: BootWorld, status: number, message: string, reason = ''): void {
  world.api.between = (request, serve) => (isVmPatch(request) ? refusal(status, reason, message) : serve());
}

function serveAgain(world: BootWorld): void {
  world.api.between = (_, serve) => serve();
}

const SURELY_REFUSED: [string, number, string][] = [
  ['a webhook that cannot be called', 500, WEBHOOK_AWAY],
  ['a webhook that denies it', 422, 'admission webhook "virtualmachine-validator.kubevirt.io" denied the request: no'],
  ['missing permission', 403, 'virtualmachines.kubevirt.io "a" is forbidden'],
  ['a VM that others change all the time', 409, 'the object has been modified'],
];

describe('a boot override that KubeVirt refuses', () => {
  it.each(SURELY_REFUSED)('is not carried out later: %s (%d)', async (_, status, message) => {
    const world = new BootWorld();
    refuseVmPatches(world, status, message, status === 409 ? 'Conflict' : '');
    await expect(world.set(pxe)).rejects.toMatchObject({ mayBeDone: false });
    expect(world.inForce).toBeUndefined();
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    serveAgain(world);
    await world.look();
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('leaves the previous override in force', async () => {
    const world = new BootWorld();
    await world.set(cd);
    refuseVmPatches(world, 500, WEBHOOK_AWAY);
    await expect(world.set(pxe)).rejects.toThrow();
    expect(world.inForce).toEqual(cd);
    serveAgain(world);
    await world.look();
    expect(firstDevice(world.api.vm)).toBe('cdrom:cd');
    await world.clear();
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });
});

describe('a boot override whose write gets no answer', () => {
  it.each([
    ['was done', true],
    ['was not done', false],
  ])('is reported as unknown, and can be cleared: it %s', async (_, isDone) => {
    const world = new BootWorld();
    world.api.between = (request, serve) => {
      if (!isVmPatch(request)) return serve();
      if (isDone) serve();
      throw new Error('ECONNRESET');
    };
    await expect(world.set(pxe)).rejects.toMatchObject({ code: 'Unavailable', mayBeDone: true });
    serveAgain(world);
    expect(await world.clear()).toBe(isDone);
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is in force if only the BMC could not be written, and is shown later', async () => {
    const world = new BootWorld();
    world.api.between = (request, serve) => (isStatusWrite(request) ? refusal(500, '', 'no') : serve());
    await world.set(pxe);
    expect(world.inForce).toEqual(pxe);
    serveAgain(world);
    await world.look();
    expect(world.api.bmc.status?.bootOverride).toMatchObject({ target: 'Pxe', savedIn: 'VirtualMachine' });
  });

  it('of an earlier version stays cleared if others write the status meanwhile', async () => {
    const world = new BootWorld();
    await world.set(pxe);
    const { savedIn: _, ...earlier } = world.api.bmc.status?.bootOverride ?? expect.fail('it is not shown');
    world.api.bmc = { ...world.api.bmc, status: { ...world.api.bmc.status, bootOverride: earlier } };
    let conflicts = 0;
    world.api.between = (request, serve) => {
      if (!isStatusWrite(request) || conflicts > 0) return serve();
      conflicts += 1;
      return refusal(409, 'Conflict', 'the object has been modified');
    };
    expect(await world.clear()).toBe(true);
    expect(conflicts).toBe(1);
    await world.settle();
    expect(world.inForce).toBeUndefined();
    await world.live({ step: { do: 'ask for a boot', boots: true }, killed: undefined });
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is reported as unknown if the API server timed out (504)', async () => {
    const world = new BootWorld();
    refuseVmPatches(world, 504, 'Timeout: request did not complete within requested timeout', 'Timeout');
    await expect(world.set(pxe)).rejects.toMatchObject({ code: 'Unavailable', mayBeDone: true });
  });

  it('is not reported as unknown if nothing was sent', async () => {
    const world = new BootWorld();
    world.api.between = () => {
      throw new Error('ECONNREFUSED');
    };
    await expect(world.set(pxe)).rejects.toMatchObject({ code: 'Unavailable', mayBeDone: false });
  });
});
