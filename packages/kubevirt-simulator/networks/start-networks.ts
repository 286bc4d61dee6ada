import { registerNetworks } from './crd.ts';
import { Networks, type NetworksOptions } from './networks.ts';

export interface RunningNetworks extends Pick<Networks, 'plug'> {
  /** Resolves when the API server knows net-attach-defs. */
  readonly registered: Promise<void>;
  close(): Promise<void>;
}

/** Starts the VM networks beside any API server. They carry what is sent as soon as pods and net-attach-defs are known. */
export function startNetworks(options: NetworksOptions): RunningNetworks {
  const stop = new AbortController();
  const networks = new Networks(options);
  const registered = registerNetworks(options.client);
  const running = registered.then(() => networks.run(stop.signal));
  return {
    plug: (network, receive) => networks.plug(network, receive),
    registered,
    close: async () => {
      stop.abort();
      await running.catch(() => undefined);
    },
  };
}
