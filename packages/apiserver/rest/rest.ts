import type { User } from '../auth/index.ts';
import type { JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { TablePresentation } from '../tables/index.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound, StatusError } from '../status.ts';
import { Stored } from '../store/index.ts';
import type { ApiContext } from './api-context.ts';
import { checkTarget, checkUid } from './check-identity.ts';
import { collectionOf } from './collection-of.ts';
import { decodeObject } from './decode-object.ts';
import { dedupeOwners } from './dedupe-owners.ts';
import { parseDeleteOptions, type DeleteRequest } from './delete-options.ts';
import { isTrue } from './list-query.ts';
import { list } from './lister.ts';
import { APPLY_PATCH, checkPatchType } from './patch-types.ts';
import { Patcher } from './patcher.ts';
import {
  checkShape,
  MetadataPresentation,
  PlainPresentation,
  type Presentation,
  type Representation,
} from './presentation.ts';
import { Remover, type Deletion } from './remover.ts';
import { refuseMethod } from './refuse-method.ts';
import { json, pageNotFound, type Reply } from './reply.ts';
import { readResourceVersion, tooLarge } from './resource-version.ts';
import type { RequestBody } from './request-body.ts';
import { ReviewedRemover } from './reviewed-remover.ts';
import { ReviewedWriter } from './reviewed-writer.ts';
import { readScale } from './scale.ts';
import { scaleResource } from './scale-resource.ts';
import { ScaleWriter } from './scale-writer.ts';
import { untilCurrent } from './superseded.ts';
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
  readonly representation: Representation;
  readonly body: RequestBody;
  readonly userAgent: string;
  readonly user: User;
}

/** `warnings`: sentences for the answer's Warning headers; handlers add to it. */
type Call = RestRequest & { readonly warnings: string[] };

/** The verbs that every resource has: get, list, watch, create, update, patch, delete, deletecollection. */
export class Rest {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;
  readonly #remover: ReviewedRemover;
  readonly #patcher: Patcher;
  readonly #scaleWriter: ScaleWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#writer = new ReviewedWriter(context, new Writer(context));
    this.#remover = new ReviewedRemover(context, new Remover(context));
    this.#patcher = new Patcher(context, this.#writer);
    this.#scaleWriter = new ScaleWriter(context, this.#writer);
  }

  /** Throws a StatusError. */
  async handle(request: RestRequest): Promise<Reply> {
    const warnings: string[] = [];
    try {
      return await untilCurrent(async () => {
        warnings.splice(0);
        return await this.#answer({ ...request, warnings });
      });
    } catch (error) {
      if (error instanceof StatusError) error.warnings.push(...warnings);
      throw error;
    }
  }

  #answer(request: Call): Reply | Promise<Reply> {
    const { resource, name, subresource, method } = request;
    if (!isInScope(request)) {
      if (resource.custom) return pageNotFound();
      throw noSuchResource();
    }
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
        throw refuseMethod(resource, method);
    }
  }

  #handleCollection(request: Call): Reply | Promise<Reply> {
    switch (request.method) {
      case 'GET':
        return isTrue(request.query, 'watch') ? this.#watch(request) : this.#list(request);
      case 'POST':
        return this.#create(request);
      case 'DELETE':
        return this.#deleteCollection(request);
      default:
        if (request.resource.custom && request.method !== 'HEAD') throw badRequest('name must be provided');
        throw refuseMethod(request.resource, request.method);
    }
  }

  #handleSubresource(request: Call): Reply | Promise<Reply> {
    const { resource, subresource, method } = request;
    const isScale = subresource === 'scale' && resource.scale !== undefined;
    const isFinalize = subresource === 'finalize' && resource.collection === '/namespaces';
    if (!isScale && !isFinalize && !(subresource === 'status' && resource.hasStatus))
      throw resource.custom ? notFound(resource, request.name ?? '') : noSuchResource();
    if (isFinalize && method !== 'PUT') throw refuseMethod(resource, method);
    if (isScale) {
      if (method === 'GET') return this.#getScale(request);
      if (method !== 'PUT' && method !== 'PATCH') throw refuseMethod(resource, method);
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
        throw refuseMethod(resource, method);
    }
  }

  #get(request: Call): Reply {
    const wanted = readResourceVersion(request.query.get('resourceVersion') ?? '');
    const { revision } = this.#context.store;
    if (wanted > revision) throw tooLarge(wanted, revision);
    return this.#reply(request, 200, this.#current(request), request.warnings);
  }

  #list(request: Call): Reply {
    checkShape(request.representation, 'list', request.resource);
    const page = list(this.#context.store, request.resource, request.namespace, request.query);
    return { status: 200, body: this.#presentation(request).list(page), warnings: request.warnings };
  }

  #watch(request: Call): Reply {
    const watcher = new Watcher(
      this.#context,
      request.resource,
      request.namespace,
      request.query,
      this.#presentation(request),
    );
    return {
      status: 200,
      warnings: request.warnings,
      stream: (response) => {
        watcher.run(response);
      },
    };
  }

  async #create(request: Call): Promise<Reply> {
    if (request.resource.namespaced && request.namespace === undefined) throw methodNotAllowed();
    const write = this.#writeRequest(request, 'CreateOptions');
    const sent = decodeObject(request.body, write, this.#context.metadataSchema);
    dedupeOwners(sent.metadata, write.warnings);
    const object = await this.#writer.create(write, sent);
    return this.#reply(request, 201, object, write.warnings);
  }

  async #update(request: Call): Promise<Reply> {
    const write = this.#writeRequest(request, 'UpdateOptions');
    const next = decodeObject(request.body, write, this.#context.metadataSchema);
    checkTarget(write, next);
    dedupeOwners(next.metadata, write.warnings);
    if (request.resource.createsOnUpdate && request.subresource === undefined && this.#find(request) === undefined) {
      checkUid(write, undefined, next);
      if (!write.dryRun) delete next.metadata.resourceVersion;
      return this.#reply(request, 201, await this.#writer.create(write, next), write.warnings);
    }
    const current = this.#current(request);
    checkUid(write, current, next);
    return this.#reply(request, 200, await this.#writer.update(write, current, next), write.warnings);
  }

  async #patch(request: Call): Promise<Reply> {
    checkPatchType(request.body, request.resource.custom);
    const write = this.#writeRequest(request, 'PatchOptions');
    const { object, created } = await this.#patcher.patch(write, request.body, this.#find(request));
    return this.#reply(request, created ? 201 : 200, object, write.warnings);
  }

  #getScale(request: Call): Reply {
    const scale = readScale(this.#current(request), request.resource);
    return this.#reply({ ...request, resource: scaleResource(request.resource) }, 200, scale, request.warnings);
  }

  async #scale(request: Call): Promise<Reply> {
    const write = this.#writeRequest(request, request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions');
    const scale = await this.#scaleWriter.write(write, request.method, request.body, this.#current(request));
    return this.#reply({ ...request, resource: scaleResource(request.resource) }, 200, scale, write.warnings);
  }

  async #delete(request: Call): Promise<Reply> {
    const { resource, user, warnings } = request;
    const options = parseDeleteOptions(request.body.value('DeleteOptions'), request.query);
    const deletion = await this.#remover.delete(resource, this.#current(request), options, { user, warnings });
    // Of old, whoever left the dependents alone wanted to know that they are still there.
    const status = !deletion.gone && options.options['orphanDependents'] === false ? 202 : 200;
    if (!deletion.gone || resource.returnsDeleted) return this.#reply(request, status, deletion.object, warnings);
    return json(200, deletedStatus(resource, deletion), warnings);
  }

  async #deleteCollection(request: Call): Promise<Reply> {
    const { resource, namespace, query } = request;
    if (resource.namespaced && namespace === undefined) throw methodNotAllowed();
    if (resource.collection === '/namespaces') throw methodNotAllowed();
    const page = list(this.#context.store, resource, namespace, query);
    const options = parseDeleteOptions(request.body.value('DeleteOptions'), query);
    for (const { object } of page.items) await this.#deleteItem(request, object, options);
    return { status: 200, body: this.#presentation(request).list(page), warnings: request.warnings };
  }

  /** Deletes what a list has shown, unless it is gone by now. */
  async #deleteItem(
    { resource, user, warnings }: Call,
    { metadata }: ApiObject,
    options: DeleteRequest,
  ): Promise<void> {
    await untilCurrent(async () => {
      const current = collectionOf(this.#context.store, resource).get(keyOf(metadata))?.object;
      if (current !== undefined)
        await this.#remover.delete(resource, current, options, { user, warnings, ofCollection: true });
    });
  }

  #find({ resource, namespace, name }: RestRequest): ApiObject | undefined {
    const key = keyOf({ name: name ?? '', ...(namespace === undefined ? {} : { namespace }) });
    const object = collectionOf(this.#context.store, resource).get(key)?.object;
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
    checkShape(request.representation, 'object', request.resource);
    const presentation = this.#presentation(request);
    return { status, body: presentation.object(stored), warnings };
  }

  #presentation({ representation, resource, query }: RestRequest): Presentation {
    const { kind, version } = representation;
    if (kind === 'Object') return new PlainPresentation(resource);
    if (kind !== 'Table') return new MetadataPresentation(version);
    const { clock } = this.#context;
    return new TablePresentation(resource, {
      includeObject: query.get('includeObject') ?? '',
      version,
      now: () => clock.now(),
    });
  }

  #writeRequest(request: Call, options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'): WriteRequest {
    const { resource, namespace, name, subresource, query, body, user, warnings } = request;
    const isApply = options === 'PatchOptions' && body.type === APPLY_PATCH;
    return {
      resource,
      namespace,
      name,
      subresource,
      warnings,
      caller: { user, subresource, options: optionsOf(query) },
      ...parseWriteQuery(query, { options, isApply, userAgent: request.userAgent }),
    };
  }
}

/** Objects without a namespace have none in their path; of all namespaces at once, objects can only be read. */
function isInScope({ resource, namespace, name, method }: RestRequest): boolean {
  if (!resource.namespaced) return namespace === undefined;
  return namespace !== undefined || (name === undefined && (method === 'GET' || !resource.custom));
}

/** What CreateOptions and UpdateOptions have of a query. */
function optionsOf(query: URLSearchParams): JsonObject {
  const dryRun = query.getAll('dryRun');
  const options: JsonObject = dryRun.length === 0 ? {} : { dryRun };
  for (const key of ['fieldManager', 'fieldValidation']) {
    const value = query.get(key) ?? '';
    if (value !== '') options[key] = value;
  }
  return options;
}

function deletedStatus({ group, plural }: Resource, { object }: Deletion): unknown {
  const { name, uid } = object.metadata;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
