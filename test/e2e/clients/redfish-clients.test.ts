import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  stateSecretName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';
import { ipmitool, RedfishClient } from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';
import { PYTHON_FOLDER } from '../../tools/python-environment.ts';
import { startClientStage, type ClientStage } from './client-stage.ts';
import { runProgram } from './run-program.ts';

/** Real clients with a BMC of the sandbox, over HTTPS with certificate verification if the client supports it. */

const MINUTE = 60_000;
const SYSTEM = '/redfish/v1/Systems/1';
const CD = `${SYSTEM}/VirtualMedia/Cd`;

const python = findTool('redfish-validators');
let stage: ClientStage;

beforeAll(async () => {
  stage = await startClientStage();
}, 2 * MINUTE);

afterAll(async () => {
  await stage.close();
});

describe('sushy, as Ironic uses it', needs('redfish-validators'), () => {
  async function ironic(task: string, ...args: string[]): Promise<unknown> {
    const { redfish, username, password } = stage.bmc;
    const script = join(PYTHON_FOLDER, 'redfish_ironic.py');
    const all = [script, redfish, username, password, stage.sandbox.authority, task, ...args];
    const { code, stdout, stderr } = await runProgram(python ?? '', all);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  }

  /** Sets the owner's boot loader. */
  async function boots(bootloader: object): Promise<void> {
    const { namespace, virtualMachine: name } = stage.bmc;
    const spec = { template: { spec: { domain: { firmware: { bootloader } } } } };
    await stage.sandbox.client.patch(VIRTUAL_MACHINES, { namespace, name }, 'merge', { spec });
  }

  /** Opens or closes KubeVirt's feature gate. */
  async function hotplugs(isOpen: boolean): Promise<void> {
    const kubeVirts = { group: 'kubevirt.io', version: 'v1', kind: 'KubeVirt', plural: 'kubevirts', namespaced: true };
    const developerConfiguration = { featureGates: isOpen ? ['DeclarativeHotplugVolumes'] : [] };
    await stage.sandbox.client.patch(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' }, 'merge', {
      spec: { configuration: { developerConfiguration } },
    });
  }

  it('inspects the machine', async () => {
    const { UUID } = await stage.redfish.get(SYSTEM);
    expect(await ironic('inspect')).toMatchObject({
      uuid: UUID,
      memory: 2,
      cpus: 2,
      threads: 2,
      macs: { '02:00:00:00:00:01': 'Enabled' },
      chassis: ['1'],
      manager: ['1', true],
      vendor: 'Groundcrew',
      resets: expect.arrayContaining([
        'On',
        'ForceOff',
        'ForceRestart',
        'GracefulShutdown',
        'GracefulRestart',
        'PowerCycle',
      ]) as string[],
      sources: expect.arrayContaining(['None', 'Pxe', 'Hdd', 'Cd', 'UefiHttp']) as string[],
    });
  });

  it('powers it on and off in any power state', { timeout: 3 * MINUTE }, async () => {
    expect(await ironic('power')).toEqual([
      'ForceOff Off',
      'ForceOff Off',
      'On On',
      'On On',
      'ForceRestart On',
      'ForceOff Off',
      'ForceRestart On',
    ]);
  });

  it('sets the boot override, in parts and as a whole', async () => {
    expect(await ironic('boot')).toEqual([
      ['Once', 'Pxe'],
      ['Continuous', 'Hdd'],
      ['Continuous', 'Cd'],
      ['Disabled', 'None'],
      ['Once', 'Pxe'],
      ['Once', 'UefiHttp'],
      ['Disabled', 'None'],
    ]);
  });

  it('switches Secure Boot, which takes effect with a restart', { timeout: 3 * MINUTE }, async () => {
    await boots({ efi: { secureBoot: false }, bios: null });
    await eventually(async () => {
      expect(await stage.redfish.get(`${SYSTEM}/SecureBoot`)).toMatchObject({ SecureBootEnable: false });
    });
    expect(await ironic('secure_boot')).toEqual([false, true, false]);
  });

  it('sets the boot mode alone, which takes effect with a restart and stays', { timeout: 3 * MINUTE }, async () => {
    await boots({ efi: { secureBoot: false, persistent: true }, bios: null });
    await stage.redfish.reset('ForceOff');
    await stage.redfish.reset('On');
    await eventually(async () => {
      expect(await stage.redfish.get(`${SYSTEM}/Bios`)).toMatchObject({ Attributes: { BootMode: 'UEFI' } });
      expect(await stage.redfish.get(SYSTEM)).toMatchObject({ PowerState: 'On' });
    });
    expect(await ironic('boot_mode')).toEqual([
      ['UEFI', 'UEFI', null],
      ['Legacy', 'UEFI', 'Legacy'],
      ['Legacy', 'Legacy', null],
      ['UEFI', 'Legacy', 'UEFI'],
      ['UEFI', 'UEFI', null],
    ]);
    const { namespace, virtualMachine: name } = stage.bmc;
    const vm = await stage.sandbox.client.get(VIRTUAL_MACHINES, { namespace, name });
    expect(vm.spec.template.spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: false, persistent: true } });
  });

  it('sees an image wait until a running machine is power-cycled', { timeout: 2 * MINUTE }, async () => {
    await hotplugs(false);
    const advice = 'Perform the required reset action on the specified component.';
    expect(await ironic('media_waits', stage.image)).toEqual([
      [99, 'ResetRequired', advice, true, 'NotConnected'],
      [100, 'Success', 'None.', true, 'URI'],
    ]);
    await hotplugs(true);
  });

  it('sees an import fail within seconds, and what to do', { timeout: 2 * MINUTE }, async () => {
    const [failed, seconds] = (await ironic('media_fails', stage.brokenImage)) as [unknown[], number];
    const advice =
      'Check that the image server is up and that pods of the namespace reach it, and insert the image again.';
    expect(failed).toEqual([null, 'GeneralError', advice, false, 'NotConnected']);
    expect(seconds).toBeLessThan(8);
  });

  it('inserts an image from another server and ejects it', { timeout: 2 * MINUTE }, async () => {
    expect(await ironic('media', stage.image)).toEqual([stage.image, true, true, null, false]);
  });

  it(
    'inserts into both drives, and boots from the USB stick',
    { ...needs('ipmitool'), timeout: 2 * MINUTE },
    async () => {
      const both = ['Cd', 'Usb'].map((id) => [id, stage.image, true]);
      expect(await ironic('two_drives', stage.image)).toEqual(['Once', 'Usb', ...both]);
      const { bmc, redfish, sandbox } = stage;
      const ref = { namespace: bmc.namespace, name: bmc.virtualMachine };
      const { spec } = await sandbox.client.get(VIRTUAL_MACHINE_INSTANCES, ref);
      const first = spec.domain.devices.disks?.find(({ bootOrder }) => bootOrder === 1);
      expect(first).toMatchObject({ name: 'bmc-usb', disk: { bus: 'usb', readonly: true } });
      expect(spec.volumes).toContainEqual({ name: 'bmc-usb', dataVolume: { name: `${bmc.name}-usb` } });
      for (const [device, disk] of [
        ['floppy', 'bmc-usb'],
        ['cdrom', 'cd'],
      ]) {
        expect(await ipmitool(bmc, `chassis bootdev ${device}`)).toMatchObject({ code: 0, stderr: '' });
        const { devices } = (await sandbox.client.get(VIRTUAL_MACHINES, ref)).spec.template.spec.domain;
        expect(devices.disks?.find(({ bootOrder }) => bootOrder === 1)?.name).toBe(disk);
      }
      await ipmitool(bmc, 'chassis bootdev none');
      for (const drive of ['Cd', 'Usb'])
        await redfish.send('POST', `${SYSTEM}/VirtualMedia/${drive}/Actions/VirtualMedia.EjectMedia`, {});
      const { devices } = (await sandbox.client.get(VIRTUAL_MACHINES, ref)).spec.template.spec.domain;
      expect(devices.disks?.map(({ name }) => name)).not.toContain('bmc-usb');
    },
  );
});

describe('redfishtool', needs('redfish-validators'), () => {
  async function redfishtool(...words: string[]): Promise<string> {
    const { redfish, username, password } = stage.bmc;
    const host = redfish.replace('https://', '');
    const program = join(dirname(python ?? ''), 'redfishtool');
    const all = ['-n', '-S', 'Always', '-r', host, '-u', username, '-p', password, '-s', ...words];
    const { code, stdout, stderr } = await runProgram(program, all);
    expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' });
    return stdout;
  }

  it('reads and changes all that it supports', { timeout: 2 * MINUTE }, async () => {
    expect(await redfishtool('versions')).toContain('"v1": "/redfish/v1/"');
    expect(await redfishtool('-A', 'Session', 'Systems', 'list')).toContain(SYSTEM);
    await redfishtool('-A', 'Session', 'Systems', '-I', '1', 'reset', 'On');
    await eventually(async () => {
      expect(await redfishtool('-A', 'Basic', 'Systems', '-1', '-P', 'PowerState')).toContain('"On"');
    });
    expect(await redfishtool('-A', 'Basic', 'Systems', '-1', 'setAssetTag', 'rack7')).toContain('rack7');
    expect(await redfishtool('-A', 'Basic', 'Systems', '-1', 'setIndicatorLed', 'Lit')).toContain('Lit');
    expect(await redfishtool('-A', 'Basic', 'Systems', '-1', 'setBootOverride', 'Once', 'Pxe')).toContain('Pxe');
    expect(await redfishtool('-A', 'Basic', 'Systems', '-1', 'setBootOverride', 'Disabled', 'None')).toContain('None');
  });

  it('starts the machine in its firmware setup', { timeout: MINUTE }, async () => {
    const { namespace, name, virtualMachine } = stage.bmc;
    await redfishtool('-A', 'Basic', 'Systems', '-1', 'setBootOverride', 'Once', 'BiosSetup');
    await redfishtool('-A', 'Basic', 'Systems', '-1', 'reset', 'ForceRestart');
    await eventually(async () => {
      const { client } = stage.sandbox;
      const vmi = await client.get(VIRTUAL_MACHINE_INSTANCES, { namespace, name: virtualMachine });
      expect(vmi.spec.startStrategy).toBe('Paused');
      expect(vmi.status?.conditions?.map(({ type }) => type)).not.toContain('Paused');
      const { status } = await client.get(VIRTUAL_MACHINE_BMCS, { namespace, name });
      expect(status?.firmwareSetup).toEqual({ vmiUID: vmi.metadata.uid });
      expect(await stage.redfish.get(SYSTEM)).toMatchObject({
        PowerState: 'On',
        Boot: { BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' },
      });
    });
  });

  it.each(['EthernetInterfaces', 'Processors', 'SimpleStorage', 'Logs'])('lists %s of the system', async (name) => {
    expect(await redfishtool('-A', 'Basic', 'Systems', '-1', name, 'list')).toContain('"Members"');
  });

  it.each(['Power', 'Thermal', 'Logs'])('reads %s of the chassis', async (name) => {
    expect(await redfishtool('-A', 'Basic', 'Chassis', '-1', name)).toContain('@odata.id');
  });

  it.each([
    ['Managers', '-1', 'NetworkProtocol'],
    ['AccountService', 'Accounts', 'list'],
    ['SessionService', 'Sessions', 'list'],
  ])('reads %s %s %s', async (...words) => {
    expect(await redfishtool('-A', 'Basic', ...words)).toContain('@odata.id');
  });

  it('creates a user, who can log in, and deletes it', async () => {
    await redfishtool('-A', 'Basic', 'AccountService', 'adduser', 'oper', 'Correct-horse-7', 'Operator');
    const oper = new RedfishClient({ ...stage.bmc, username: 'oper', password: 'Correct-horse-7' });
    expect(await oper.get(SYSTEM)).toMatchObject({ Id: '1' });
    await redfishtool('-A', 'Basic', 'AccountService', 'deleteuser', 'oper');
  });
});

describe('curl', () => {
  it('verifies the certificate and logs in', needs('curl'), async () => {
    const { redfish, username, password } = stage.bmc;
    const common = ['-sS', '--fail-with-body', '--cacert', stage.sandbox.authority];
    const root = await runProgram(findTool('curl') ?? '', [...common, `${redfish}/redfish`]);
    expect(root).toMatchObject({ code: 0, stdout: '{\n  "v1": "/redfish/v1/"\n}\n' });
    const system = await runProgram(findTool('curl') ?? '', [
      ...common,
      '-u',
      `${username}:${password}`,
      redfish + SYSTEM,
    ]);
    expect(JSON.parse(system.stdout)).toMatchObject({ Id: '1' });
    expect((await runProgram(findTool('curl') ?? '', [...common, redfish + SYSTEM])).code).toBe(22);
  });
});

describe('curl and openssl', needs('curl', 'openssl'), () => {
  const CERTIFICATES = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates';
  const folder = mkdtempSync(join(tmpdir(), 'redfish-certificate-'));
  const file = (name: string): string => join(folder, name);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function openssl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram(findTool('openssl') ?? '', args);
    expect({ code, args, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, args, stderr: '' });
    return stdout;
  }

  /** POST with the CA certificates in the file. */
  async function act(ca: string, action: string, parameters: object): Promise<{ code: number; stdout: string }> {
    const { redfish, username, password } = stage.bmc;
    const url = `${redfish}/redfish/v1/CertificateService/Actions/CertificateService.${action}`;
    const json = ['-H', 'Content-Type: application/json', '-d', JSON.stringify(parameters)];
    const all = ['-sS', '--fail-with-body', '--cacert', ca, '-u', `${username}:${password}`, ...json, url];
    return await runProgram(findTool('curl') ?? '', all);
  }

  /** The exit code of curl; 60: the certificate is not trusted. */
  async function trusts(ca: string): Promise<number> {
    return (await runProgram(findTool('curl') ?? '', ['-sS', '--cacert', ca, `${stage.bmc.redfish}/redfish/v1/`])).code;
  }

  it('replace the certificate by one that their own CA issues for a request of the BMC', async () => {
    const { sandbox, bmc } = stage;
    const { hostname } = new URL(bmc.redfish);
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const own = ['-keyout', file('ca.key'), '-out', file('ca.crt')];
    await openssl('req', '-x509', ...curve, ...own, '-days', '2', '-subj', "/CN=the client's CA");

    const CertificateCollection = { '@odata.id': CERTIFICATES };
    const request = { CommonName: hostname, AlternativeNames: [hostname], CertificateCollection };
    const made = await act(sandbox.authority, 'GenerateCSR', request);
    writeFileSync(file('csr'), (JSON.parse(made.stdout) as { CSRString: string }).CSRString);
    expect(await openssl('req', '-in', file('csr'), '-verify', '-noout', '-text')).toContain(`IP Address:${hostname}`);
    const issuer = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-copy_extensions', 'copyall', '-days', '1'];
    await openssl('x509', '-req', '-in', file('csr'), ...issuer, '-out', file('crt'));

    const replacement = (CertificateString: string) => ({
      ...{ CertificateString, CertificateType: 'PEM', CertificateUri: { '@odata.id': `${CERTIFICATES}/1` } },
    });
    const wrong = await act(sandbox.authority, 'ReplaceCertificate', replacement(readFileSync(file('ca.crt'), 'utf8')));
    expect(wrong).toMatchObject({ code: 22, stdout: expect.stringContaining('private key is unknown') as string });
    const replaced = await act(sandbox.authority, 'ReplaceCertificate', replacement(readFileSync(file('crt'), 'utf8')));
    expect(replaced).toMatchObject({ code: 0, stdout: '' });

    expect(await trusts(file('ca.crt'))).toBe(0);
    expect(await trusts(sandbox.authority)).toBe(60);

    // The owner takes it back.
    const { namespace, name } = bmc;
    await sandbox.client.patch(SECRETS, { namespace, name: stateSecretName(name) }, 'merge', { data: { https: null } });
    await eventually(async () => {
      expect(await trusts(sandbox.authority)).toBe(0);
    });
  });
});

describe('a browser', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('trusts the certificate, with %s', async (version) => {
    const { hostname, port } = new URL(stage.bmc.redfish);
    const ca = readFileSync(stage.sandbox.authority);
    const tls = { host: hostname, port: Number(port), ca, minVersion: version, maxVersion: version };
    const socket = connect({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] });
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    const { authorized, alpnProtocol } = socket;
    const { subjectaltname, valid_to: end } = socket.getPeerCertificate();
    socket.destroy();
    expect({ authorized, alpnProtocol, version: socket.getProtocol() ?? version }).toEqual({
      authorized: true,
      alpnProtocol: 'http/1.1',
      version,
    });
    expect(subjectaltname).toContain('127.0.0.1');
    expect(Date.parse(end)).toBeGreaterThan(Date.now());
  });
});

describe('requests of other clients', () => {
  beforeEach(async () => {
    await stage.redfish.send('POST', `${CD}/Actions/VirtualMedia.EjectMedia`);
  });

  it('eject without body and Content-Type, and from an empty drive (Ironic)', async () => {
    const { status } = await stage.redfish.send('POST', `${CD}/Actions/VirtualMedia.EjectMedia`);
    expect(status).toBeLessThan(300);
    expect(await stage.redfish.get(CD)).toMatchObject({ Inserted: false, Image: null, ImageName: null });
  });

  it('find drives under the Manager too (bmclib, scripts)', async () => {
    const manager = await stage.redfish.get('/redfish/v1/Managers/1');
    expect(manager['VirtualMedia']).toEqual({ '@odata.id': `${SYSTEM}/VirtualMedia` });
    expect(await stage.redfish.get('/redfish/v1/Managers/1/VirtualMedia')).toMatchObject({ 'Members@odata.count': 2 });
  });

  it('may have a trailing slash (MAAS), and an outdated ETag in an action (gofish)', async () => {
    await stage.redfish.get(`${SYSTEM}/`);
    const { status } = await stage.redfish.send(
      'POST',
      `${SYSTEM}/Actions/ComputerSystem.Reset`,
      { ResetType: 'On' },
      { 'If-Match': '"old"', 'User-Agent': 'gofish/1.0' },
    );
    expect(status).toBe(204);
  });

  it('use Members[0] and read Content-Length (MAAS)', async () => {
    const { headers, body } = await stage.redfish.send('GET', '/redfish/v1/Systems');
    expect(body['Members']).toEqual([{ '@odata.id': SYSTEM }]);
    expect(headers['content-length']).toBe(String(JSON.stringify(body).length));
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('detect vendors by the service root (Ansible, Ironic), which contains no other vendor’s name', async () => {
    const { Vendor, Product, Oem } = await stage.redfish.get('/redfish/v1');
    expect(`${String(Vendor)} ${String(Product)}`).not.toMatch(
      /ami|dell|hpe|supermicro|lenovo|openbmc|redfish_compatible/i,
    );
    expect(Oem).toBeUndefined();
  });
});
