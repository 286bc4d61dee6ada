/** The embedded API server in a process of its own, with its objects in memory. It counts its requests. */
import { startApiServer } from '@groundcrew/apiserver';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { RequestCounts } from './request-counts.ts';
import { serveParent } from './serve-parent.ts';

const counts = new RequestCounts();
const starting = startApiServer({
  logger: silentLogger,
  onAnswer: (answered) => {
    counts.add(answered);
  },
});

serveParent(
  {
    ready: async () => {
      const { server, ca, token } = await starting;
      return { server, ca, token };
    },
    counts: () => counts.totals,
  },
  async () => {
    await (await starting).close();
  },
);
