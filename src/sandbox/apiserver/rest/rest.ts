import type { User } from '../auth/index.ts';
import type { Json } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { TablePresentation } from '../tables/index.ts';
import { badRequest, invalid, methodNotAllowed, noSuchResource, notFound } from '../status.ts';
import { Stored } from '../store/index.ts';
import type { ApiContext } from './api-context.ts';
import { decodeObject } from './decode-object.ts';
import { list } from './lister.ts';
import { Patcher } from './patcher.ts';
import { MetadataPresentation, PlainPresentation, type Presentation } from './presentation.ts';
import { parseDeleteOptions, Remover, type Deletion } from './remover.ts';
import { json, type Reply } from './reply.ts';
import { readScale, writeScale } from './scale.ts';
import { Watcher } from './watcher.ts';
import { parseWriteQuery, type WriteRequest } from './write-request.ts';
import { Writer } from './writer.ts';

/** One request for a resource, with its body read. */
export interface RestRequest {
  readonly method: string;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly representation: 'object' | 'table' | 'metadata';
  readonly contentType: string;
  /** Undefined where there was none. */
  readonly body: Json | undefined;
  readonly userAgent: string;
  readonly user: User;
}

/** The verbs that every resource has: get, list, watch, create, update, patch, delete, deletecollection. */
export class Rest {
  readonly #context: ApiContext;
  readonly #writer: Writer;
  readonly #remover: Remover;
  readonly #patcher: Patcher;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#writer = new Writer(context);
    this.#remover = new Remover(context);
    this.#patcher = new Patcher(context, this.#writer);
  }

  /** Throws a StatusError. */
  handle(request: RestRequest): Reply {
    const { resource, name, subresource, method } = request;
    if (resource.namespaced ? request.namespace === undefined && name !== undefined : request.namespace !== undefined)
      throw noSuchResource();
    if (subresource !== undefined) return this.#handleSubresource(request);
    if (name === undefined) return this.#handleCollection(request);
    switch (method) {
      case 'GET':
        return this.#get(request);
      case 'PUT':
        return this.#update(request);
      case 'PATCH':
        return this.#patch(request);
      case 'DELETE':
        return this.#delete(request);
      default:
        throw methodNotAllowed();
    }
  }

  #handleCollection(request: RestRequest): Reply {
    switch (request.method) {
      case 'GET':
        return isWatch(request.query) ? this.#watch(request) : this.#list(request);
      case 'POST':
        return this.#create(request);
      case 'DELETE':
        return this.#deleteCollection(request);
      default:
        throw methodNotAllowed();
    }
  }

  #handleSubresource(request: RestRequest): Reply {
    const { resource, subresource, method } = request;
    const isScale = subresource === 'scale' && resource.scale !== undefined;
    const isFinalize = subresource === 'finalize' && resource.collection === '/namespaces';
    if (!isScale && !isFinalize && !(subresource === 'status' && resource.hasStatus)) throw noSuchResource();
    if (isScale) {
      if (method === 'GET') return json(200, readScale(this.#current(request), resource));
      if (method !== 'PUT' && method !== 'PATCH') throw methodNotAllowed();
      return this.#scale(request);
    }
    switch (method) {
      case 'GET':
        return this.#get(request);
      case 'PUT':
        return this.#update(request);
      case 'PATCH':
        return this.#patch(request);
      default:
        throw methodNotAllowed();
    }
  }

  #get(request: RestRequest): Reply {
    return this.#reply(request, 200, this.#current(request), []);
  }

  #list(request: RestRequest): Reply {
    const page = list(this.#context.store, request.resource, request.namespace, request.query);
    return { status: 200, body: this.#presentation(request).list(page) };
  }

  #watch(request: RestRequest): Reply {
    const watcher = new Watcher(
      this.#context,
      request.resource,
      request.namespace,
      request.query,
      this.#presentation(request),
    );
    return {
      status: 200,
      stream: (response) => {
        watcher.run(response);
      },
    };
  }

  #create(request: RestRequest): Reply {
    const write = this.#writeRequest(request, 'CreateOptions');
    const object = this.#writer.create(write, decodeObject(request.body ?? null, write, this.#context.metadataSchema));
    return this.#reply(request, 201, object, write.warnings);
  }

  #update(request: RestRequest): Reply {
    const write = this.#writeRequest(request, 'UpdateOptions');
    const current = this.#current(request);
    const next = decodeObject(request.body ?? null, write, this.#context.metadataSchema);
    return this.#reply(request, 200, this.#writer.update(write, current, next), write.warnings);
  }

  #patch(request: RestRequest): Reply {
    const write = this.#writeRequest(request, 'PatchOptions');
    const { object, created } = this.#patcher.patch(
      write,
      request.contentType,
      request.body ?? null,
      this.#find(request),
    );
    return this.#reply(request, created ? 201 : 200, object, write.warnings);
  }

  #scale(request: RestRequest): Reply {
    const write = {
      ...this.#writeRequest(request, request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions'),
      subresource: undefined,
    };
    const current = this.#current(request);
    const next = writeScale(current, request.resource, request.body ?? null, request.method, request.contentType);
    return json(200, readScale(this.#writer.update(write, current, next), request.resource), write.warnings);
  }

  #delete(request: RestRequest): Reply {
    const { resource } = request;
    const options = parseDeleteOptions(request.body, request.query);
    const deletion = this.#remover.delete(resource, this.#current(request), options);
    if (!deletion.gone || resource.returnsDeleted) return this.#reply(request, 200, deletion.object, []);
    return json(200, deletedStatus(resource, deletion));
  }

  #deleteCollection(request: RestRequest): Reply {
    const { resource, namespace, query } = request;
    if (resource.namespaced && namespace === undefined) throw methodNotAllowed();
    // Selectors come in the query, DeleteOptions in the body.
    const options = parseDeleteOptions(request.body ?? {}, query);
    const page = list(this.#context.store, resource, namespace, query);
    const items = page.items.map(
      ({ object, revision }) => new Stored(this.#remover.delete(resource, object, options).object, revision),
    );
    return { status: 200, body: this.#presentation(request).list({ ...page, items }) };
  }

  #find({ resource, namespace, name }: RestRequest): ApiObject | undefined {
    const key = keyOf({ name: name ?? '', ...(namespace === undefined ? {} : { namespace }) });
    const object = this.#context.store.collection(resource.collection).get(key)?.object;
    const apiVersion = apiVersionOf(resource);
    return object === undefined || object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  }

  #current(request: RestRequest): ApiObject {
    const object = this.#find(request);
    if (object === undefined) throw notFound(request.resource, request.name ?? '');
    return object;
  }

  #reply(request: RestRequest, status: number, object: ApiObject, warnings: readonly string[]): Reply {
    const stored = new Stored(object, Number(object.metadata.resourceVersion ?? 0));
    const presentation = this.#presentation(request);
    return { status, body: presentation.object(stored), warnings };
  }

  #presentation({ representation, resource, query }: RestRequest): Presentation {
    if (representation === 'metadata') return new MetadataPresentation();
    if (representation === 'object') return new PlainPresentation(resource);
    return new TablePresentation(resource, query.get('includeObject') ?? 'Metadata', this.#context.clock.now());
  }

  #writeRequest(request: RestRequest, options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'): WriteRequest {
    const { resource, namespace, name, subresource, query, contentType } = request;
    const isApply = contentType === 'application/apply-patch+yaml';
    if (isApply && (query.get('fieldManager') ?? '') === '') {
      throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
        { field: 'fieldManager', reason: 'FieldValueRequired', message: 'Required value: is required for apply patch' },
      ]);
    }
    if (!isApply && query.has('force') && options === 'PatchOptions') {
      throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
        {
          field: 'force',
          reason: 'FieldValueForbidden',
          message: 'Forbidden: may not be specified for non-apply patch',
        },
      ]);
    }
    if (request.body === undefined) throw badRequest('the request has no body');
    return {
      resource,
      namespace,
      name,
      subresource,
      warnings: [],
      ...parseWriteQuery(query, options, request.userAgent),
    };
  }
}

function isWatch(query: URLSearchParams): boolean {
  return query.get('watch') === 'true' || query.get('watch') === '1';
}

function deletedStatus({ group, plural }: Resource, { object }: Deletion): unknown {
  const { name, uid } = object.metadata;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
