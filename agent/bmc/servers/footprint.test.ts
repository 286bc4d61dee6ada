import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';

/**
 * Serves IPMI and Redfish for many BMCs in one process, and prints the bytes of V8's heap for each further one: while it has had no
 * client, and what is added when it has had one by Redfish.
 */
function program(certificate: { key: string; cert: string }): string {
  const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  return `
    const { RedfishService } = await import(${url('./redfish-service.ts')});
    const { IpmiService } = await import(${url('./ipmi-service.ts')});
    const { RequestTraces } = await import(${url('../request-traces.ts')});
    const { FakeBmc } = await import(${url('../../../protocols/redfish/testing/fake-bmc.ts')});
    const { MemorySettings } = await import(${url('../../../protocols/testing/index.ts')});
    const { systemClock } = await import(${JSON.stringify(import.meta.resolve('@groundcrew/controller-runtime'))});
    const { silentLogger } = await import(${JSON.stringify(import.meta.resolve('@groundcrew/controller-runtime/testing'))});
    const { ipmiSettings } = await import(${url('../../../api/index.ts')});
    const { randomBytes } = await import('node:crypto');
    const { get } = await import('node:https');
    const { setTimeout } = await import('node:timers/promises');
    const { advertisedPort, ...settings } = ipmiSettings({ virtualMachineRef: { name: 'a' } });
    const ipmi = { bmcKey: undefined, settings, advertisedPort };
    const base64 = (text) => Buffer.from(text).toString('base64');
    const { key, cert } = ${JSON.stringify(certificate)};
    const checks = { add: () => () => undefined };
    const common = {
      addresses: ['127.0.0.1'], port: 0, checks, clock: systemClock, random: randomBytes, now: () => 0,
      logger: silentLogger, traces: new RequestTraces('p'), report: () => undefined,
    };
    const all = [];
    const serve = async (count) => {
      for (let index = 0; index < count; index += 1) {
        const bmc = new FakeBmc();
        const redfish = new RedfishService({ ...bmc.options, ...common, certificateOwner: bmc.options.certificateOwner });
        // Each with text of its own, as from its Secret.
        const data = { 'tls.crt': base64(cert + ' '.repeat(index)), 'tls.key': base64(key) };
        await redfish.serve({ certificate: { object: { data } }, http: false });
        const server = new IpmiService({
          ...common, machine: bmc.options.machine, accounts: bmc.options.accounts, settings: new MemorySettings(),
          deviceInfo: { firmware: { major: 0, minor: 1 } }, observer: {},
        });
        await server.serve(ipmi);
        if (redfish.port === undefined || server.port === undefined) throw new Error('the BMC is not served');
        all.push({ redfish, server });
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const meet = async (met) => {
      for (const { redfish } of met) {
        const { promise, resolve, reject } = Promise.withResolvers();
        const target = { port: redfish.port, path: '/redfish/v1', agent: false, rejectUnauthorized: false };
        get(target, (response) => response.resume().on('close', resolve)).on('error', reject);
        await promise;
      }
      while (all.some(({ redfish }) => redfish.connectionCount > 0)) await setTimeout(10);
      // The TLS contexts are released a second later.
      await setTimeout(1_200);
      gc();
      return process.memoryUsage().heapUsed;
    };
    await serve(20);
    const before = await serve(10);
    const after = await serve(100);
    const idle = await meet(all.slice(0, 30));
    const met = await meet(all.slice(30));
    process.stdout.write(JSON.stringify({ idle: (after - before) / 100, met: (met - idle) / 100 }));
    process.exit(0);
  `;
}

it('a further BMC costs the heap of its process less than 25 kB, and less than 12 kB more when it has had a client', async () => {
  const script = program(await selfSigned('bmc'));
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const { idle, met } = JSON.parse(output) as { idle: number; met: number };
  // 23.8 kB, the fakes included. Made for each BMC without clients, the parts for log-ins and limits take 7 kB more, HTTP servers
  // 3.8 kB, and a tree of routes 69 kB.
  expect(idle).toBeGreaterThan(1_000);
  expect(idle).toBeLessThan(25_000);
  // With the tree of routes 30 kB more.
  expect(met).toBeGreaterThan(1_000);
  expect(met).toBeLessThan(12_000);
});
