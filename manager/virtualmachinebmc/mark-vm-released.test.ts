import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { KubeClient } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { markVmReleased, RELEASE_ANNOTATION } from './mark-vm-released.ts';
import { aBmc } from './testing/bmc.ts';

describe('invalidating pending writes of a VM whose BMC is deleted', () => {
  let api: ScriptedApi;
  let client: KubeClient;
  let answer: { status: number; body: unknown };
  let written: unknown[];

  const withOverride = (): VirtualMachineBMC =>
    aBmc({ status: { bootOverride: { mode: 'Oneshot', target: 'Pxe', vmUID: 'vm-1' } } });
  const withMedia = (drive: string | undefined): VirtualMachineBMC => {
    const place = drive === undefined ? {} : { drive, volume: 'web-bmc-cd' };
    return aBmc({ status: { virtualMedia: [{ slot: 'Cd', phase: 'Preparing', ...place }] } });
  };

  beforeEach(() => {
    api = new ScriptedApi();
    client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    answer = { status: 200, body: {} };
    written = [];
    api.intercept = ({ body }) => {
      written.push(JSON.parse(body ?? '{}'));
      return answer;
    };
  });

  it('writes nothing if nothing is pending', async () => {
    await markVmReleased(aBmc(), client);
    await markVmReleased(withMedia(undefined), client);
    expect(written).toEqual([]);
  });

  it.each([
    ['a boot override', withOverride()],
    ['an image', withMedia('cd')],
  ])('changes the version of the VM with %s and leaves no annotation', async (_what, bmc) => {
    await markVmReleased(bmc, client);
    expect(written).toEqual([
      { metadata: { annotations: { [RELEASE_ANNOTATION]: bmc.metadata.uid } } },
      { metadata: { annotations: { [RELEASE_ANNOTATION]: null } } },
    ]);
  });

  it.each([404, 403])('continues if the VM cannot be written (%i)', async (status) => {
    answer = { status, body: 'no' };
    await markVmReleased(withOverride(), client);
    expect(written).toHaveLength(1);
  });

  it.each([409, 429, 500])('fails if the server may accept it later (%i)', async (status) => {
    answer = { status, body: 'later' };
    await expect(markVmReleased(withOverride(), client)).rejects.toThrow('later');
  });
});
