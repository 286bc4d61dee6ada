import express, { type Express } from 'express';
import type { Route } from '../../resource.ts';
import { dispatch } from './dispatcher.ts';
import { openDocuments } from '../descriptions/index.ts';
import type { Service } from '../exchange/index.ts';
import { ResourceTree } from '../tree/index.ts';
import { Turns } from '../limits/index.ts';
import { SerialQueues } from '../../../serial-queue.ts';

/** The Express app for these resources. */
export function resourceApp(routes: readonly Route[], parts: Pick<Service, 'gate' | 'observer' | 'publish'>): Express {
  const tree = new ResourceTree(routes);
  const service: Service = {
    ...parts,
    tree,
    documents: openDocuments(tree),
    writes: new SerialQueues(),
    turns: new Turns(),
  };
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response) => dispatch(service, request, response));
  return app;
}
