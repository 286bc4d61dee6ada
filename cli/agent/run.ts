import { giveBackMemory } from '../give-back-memory.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { version } from '../version.ts';
import type { AgentName, AgentValues } from './flags.ts';
import { jsonLogger } from './json-logger.ts';

/** ms. There are as many dedicated agents as VMs: they are small before they are fast. */
const DEDICATED_UNMAP_EVERY = 250;

interface BmcAgentValues {
  namespace: string;
  bmc?: string;
  shared?: string;
  podName: string;
  bindAddress: string;
  ipmiPort: number;
  redfishPort: number;
  redfishHttpPort: number;
  healthPort: number;
  defaultIpmi: boolean;
  defaultRedfishHttp: boolean;
  defaultWebConsole: boolean;
  allowLoopback: boolean;
  metrics: boolean;
  logLevel: string;
}

interface DhcpAgentValues {
  network: string;
  serverIndex: number;
  poolNamespace: string[];
  podName: string;
  bindAddress: string;
  healthPort: number;
  snapshotDir: string;
  loopbackPort?: number;
  logLevel: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs an agent until it ends.
 *
 * @param ignored arguments that this version does not know
 * @returns the exit code of the process
 */
export async function runAgent(
  name: AgentName,
  values: AgentValues,
  env: Environment,
  ignored: readonly string[] = [],
): Promise<number> {
  if (ignored.length > 0) {
    const message =
      'ignored arguments that this version does not know: the manager is newer, or an argument is misspelt';
    jsonLogger(String(values['logLevel'])).warn({ ignored, version: version() }, message);
  }
  // AGENT_FLAGS defines the fields of these types.
  if (name === 'bmc') return await runBmc(values as unknown as BmcAgentValues, env);
  return await runDhcp(values as unknown as DhcpAgentValues, env);
}

async function runBmc(values: BmcAgentValues, env: Environment): Promise<number> {
  const isDedicated = values.shared === undefined;
  giveBackMemory(isDedicated ? DEDICATED_UNMAP_EVERY : undefined);
  if (isDedicated) keepHeapSmall();
  const [{ runBmcAgent }, { RequestTraces }] = await Promise.all([
    import('../../agent/bmc/main.ts'),
    import('../../agent/bmc/index.ts'),
  ]);
  const traces = new RequestTraces(randomPrefix());
  return await runBmcAgent({
    ...values,
    bindAddresses: values.bindAddress.split(','),
    defaults: {
      ipmi: values.defaultIpmi,
      redfishHttp: values.defaultRedfishHttp,
      webConsole: values.defaultWebConsole,
    },
    version: version(),
    traces,
    logger: jsonLogger(values.logLevel, { more: () => traces.fields }),
    env,
  });
}

function randomPrefix(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
}

async function runDhcp(values: DhcpAgentValues, env: Environment): Promise<number> {
  giveBackMemory();
  const { runDhcpAgent } = await import('../../agent/dhcp/main.ts');
  return await runDhcpAgent({
    ...values,
    poolNamespaces: values.poolNamespace,
    snapshotDirectory: values.snapshotDir,
    bindAddresses: values.bindAddress.split(','),
    version: version(),
    logger: jsonLogger(values.logLevel),
    env,
  });
}
