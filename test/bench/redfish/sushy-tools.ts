import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';
import { freePorts } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import { pythonEnvironment } from '../../tools/python-environment.ts';
import type { Progress } from '../measurement.ts';
import { startContender, type Contender } from './contender.ts';

const UUID = '6f3e1a52-7c1b-4c9e-9d3f-2a5b8e7d4c10';
const CREDENTIALS = { username: 'admin', password: 'password' };
/** As `htpasswd -B` writes it, with its default cost. */
const HASH = 'import bcrypt, sys; print(bcrypt.hashpw(sys.argv[1].encode(), bcrypt.gensalt(5)).decode())';

/** The emulator of sushy-tools with its driver `fake`, which only changes its own store. */
export async function startSushyTools(log: Progress): Promise<Contender> {
  const python = await pythonEnvironment(log, 'redfish-requirements');
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-sushy-'));
  const [port = 0] = await freePorts(1);
  const { key, cert } = await selfSigned('sushy');
  const hash = execFileSync(python, ['-c', HASH, CREDENTIALS.password], { encoding: 'utf8' }).trim();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const settings = {
    LISTEN_IP: '127.0.0.1',
    LISTEN_PORT: port,
    SSL_CERT: file('tls.crt', cert),
    SSL_KEY: file('tls.key', key),
    AUTH_FILE: file('htpasswd', `${CREDENTIALS.username}:${hash}\n`),
    FAKE_SYSTEMS: [
      { uuid: UUID, name: 'machine', power_state: 'On', nics: [{ mac: '00:5c:52:31:3a:9c', ip: '172.22.0.100' }] },
    ],
    STATE_DIR: folder,
  };
  const lines = Object.entries(settings).map(([name, value]) => `SUSHY_EMULATOR_${name} = ${JSON.stringify(value)}`);
  const config = file('emulator.conf', [...lines, 'SUSHY_EMULATOR_FAKE_DRIVER = True', ''].join('\n'));
  const process = new ServerProcess({
    command: join(dirname(python), 'sushy-emulator'),
    args: ['--config', config, '--fake'],
    cwd: folder,
    log: join(folder, 'output.log'),
  });
  const cleanUp = (): Promise<void> => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  };
  const base = `https://127.0.0.1:${port}`;
  const system = `/redfish/v1/Systems/${UUID}`;
  return await startContender(
    { name: 'sushy-tools', base, ...CREDENTIALS, system, endurance: 2_000 },
    process,
    cleanUp,
  );
}
