import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { Lan, NetworkNamespace, Tunnel } from '../../harness/namespaces/index.ts';
import { freePorts } from '../../harness/free-port.ts';
import { needsScene } from './scene/index.ts';

const FACE = join(import.meta.dirname, '../../harness/namespaces/index.ts');

describe('test networks', needsScene(), () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-namespaces-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const names = async (): Promise<string> => {
    using anywhere = new NetworkNamespace();
    return await anywhere.run('ip', ['netns', 'list']);
  };

  it('connect namespaces and nothing else', async () => {
    const lan = new Lan();
    const [one, two, other] = [new NetworkNamespace(), new NetworkNamespace(), new NetworkNamespace()];
    lan.attach(one, { device: 'eth0', address: '10.0.0.1/24' });
    lan.attach(two, { device: 'eth0', address: '10.0.0.2/24' });
    expect(await one.run('ip', ['route', 'get', '10.0.0.2'])).toContain('dev eth0');
    const [port = 0] = await freePorts(1);
    const listening = two.process(
      process.execPath,
      ['-e', `require('node:net').createServer(s => s.end('two')).listen(${port}, () => console.log('up'))`],
      { log: join(folder, 'two.log') },
    );
    listening.start();
    const ask = `require('node:net').connect(${port}, '10.0.0.2').on('error', () => process.exit(1)).pipe(process.stdout)`;
    await eventually(async () => {
      expect(await one.run(process.execPath, ['-e', ask])).toBe('two');
    });
    await expect(other.run(process.execPath, ['-e', ask])).rejects.toThrow();
    await listening.dispose();
    for (const each of [one, two, other, lan]) each.close();
  });

  it('end the processes in them', async () => {
    const namespace = new NetworkNamespace();
    const sleeper = namespace.process('sleep', ['600'], { log: join(folder, 'sleep.log') });
    sleeper.start();
    await eventually(() => {
      expect(namespace.pids()).toHaveLength(1);
    });
    namespace.close();
    expect(await sleeper.ended()).toBeNull();
    expect(await names()).not.toContain(namespace.name);
    await sleeper.dispose();
  });

  it('are removed by the next test process after one was killed', async () => {
    const program = `import { NetworkNamespace } from '${FACE}';
      console.log(new NetworkNamespace().name);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const left = said.toString().trim();
    expect(await names()).toContain(left);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await names()).not.toContain(left);
  });

  it('reach the API server of a test at its own address through a tunnel', async () => {
    const namespace = new NetworkNamespace();
    const [port = 0] = await freePorts(1);
    const server = createServer((_, answer) => answer.end('here')).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const tunnel = await Tunnel.open(namespace, {
      folder,
      inward: [port],
      outward: ['127.0.0.1:1', `127.0.0.1:${port}`],
    });
    const get = `fetch('http://127.0.0.1:${port}/').then(r => r.text()).then(t => process.stdout.write(t))`;
    expect(await namespace.run(process.execPath, ['-e', get])).toBe('here');
    expect(await tunnel.get(`127.0.0.1:${port}`, '/')).toEqual({ status: 200, body: 'here' });
    await expect(tunnel.get('127.0.0.1:1', '/')).rejects.toThrow();
    await tunnel.close();
    namespace.close();
    server.close();
  });
});
