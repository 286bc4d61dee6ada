import express, { type Express } from 'express';
import type { Route } from '../resource.ts';
import { dispatch } from './dispatcher.ts';
import type { Service } from './exchange.ts';
import { ResourceTree } from './resource-tree.ts';
import { WriteQueue } from './write-queue.ts';

/** The app that serves these resources. */
export function resourceApp(routes: readonly Route[], parts: Omit<Service, 'tree' | 'writes'>): Express {
  const service: Service = { ...parts, tree: new ResourceTree(routes), writes: new WriteQueue() };
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response) => dispatch(service, request, response));
  return app;
}
