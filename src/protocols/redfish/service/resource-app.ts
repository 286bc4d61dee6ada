import express, { type Express } from 'express';
import type { Route } from '../resource.ts';
import { dispatch } from './dispatcher.ts';
import { openDocuments } from './documents.ts';
import type { Service } from './exchange.ts';
import { ResourceTree } from './resource-tree.ts';
import { Turns } from './turns.ts';
import { WriteQueue } from './write-queue.ts';

/** The app that serves these resources. */
export function resourceApp(routes: readonly Route[], parts: Pick<Service, 'gate' | 'observer' | 'publish'>): Express {
  const tree = new ResourceTree(routes);
  const service: Service = {
    ...parts,
    tree,
    documents: openDocuments(tree),
    writes: new WriteQueue(),
    turns: new Turns(),
  };
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response) => dispatch(service, request, response));
  return app;
}
