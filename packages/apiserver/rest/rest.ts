import { keyOf, type ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { methodNotAllowed, noSuchResource, notFound, notImplemented, StatusError } from '../status.ts';
import { Stored } from '../store/index.ts';
import { type ApiContext, collectionOf } from './api-context.ts';
import { checkTarget, checkUid } from './update-rules.ts';
import { decodeObject } from './decode-object.ts';
import { parseDeleteOptions, type DeleteRequest } from './delete-options.ts';
import { isTrue, readResourceVersion, tooLarge } from './list-query.ts';
import { list } from './lister.ts';
import { checkPatchType, Patcher } from './patcher.ts';
import { presentationOf } from './presentation.ts';
import { writeRequestOf, type Call, type RestRequest, json, pageNotFound, type Reply } from './call.ts';
import { Remover, type Deletion } from './remover.ts';
import { ReviewedRemover, ReviewedWriter, untilCurrent } from './reviewed.ts';
import { Watcher } from './watcher.ts';
import { Writer } from './writer.ts';

/** The verbs of all resources: get, list, watch, create, update, patch, delete, deletecollection. */
export class Rest {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;
  readonly #remover: ReviewedRemover;
  readonly #patcher: Patcher;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#writer = new ReviewedWriter(context, new Writer(context));
    this.#remover = new ReviewedRemover(context, new Remover(context));
    this.#patcher = new Patcher(context, this.#writer);
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
    if (subresource !== undefined) checkSubresource(request);
    else if (name === undefined) return this.#handleCollection(request);
    switch (method) {
      case 'GET':
        return this.#get(request);
      case 'PUT':
        return this.#update(request);
      case 'PATCH':
        return this.#patch(request);
      default:
        if (method !== 'DELETE' || subresource !== undefined) throw methodNotAllowed();
        return this.#delete(request);
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
        throw methodNotAllowed();
    }
  }

  #get(request: Call): Reply {
    const wanted = readResourceVersion(request.query.get('resourceVersion') ?? '');
    const { revision } = this.#context.store;
    if (wanted > revision) throw tooLarge(wanted, revision);
    return this.#reply(request, 200, this.#current(request), request.warnings);
  }

  #list(request: Call): Reply {
    const page = list(this.#context.store, request.resource, request.namespace, request.query);
    return { status: 200, body: presentationOf(request, this.#context.clock).list(page), warnings: request.warnings };
  }

  #watch(request: Call): Reply {
    const watcher = new Watcher(
      this.#context,
      request.resource,
      request.namespace,
      request.query,
      presentationOf(request, this.#context.clock),
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
    const write = writeRequestOf(request, 'CreateOptions');
    const sent = decodeObject(request.body, write, this.#context.metadataSchema);
    const object = await this.#writer.create(write, sent);
    return this.#reply(request, 201, object, write.warnings);
  }

  async #update(request: Call): Promise<Reply> {
    const write = writeRequestOf(request, 'UpdateOptions');
    const next = decodeObject(request.body, write, this.#context.metadataSchema);
    checkTarget(write, next);
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
    const write = writeRequestOf(request, 'PatchOptions');
    const { object, created } = await this.#patcher.patch(write, request.body, this.#find(request));
    return this.#reply(request, created ? 201 : 200, object, write.warnings);
  }

  async #delete(request: Call): Promise<Reply> {
    const { resource, user, warnings } = request;
    const options = parseDeleteOptions(request.body.value(), request.query);
    const deletion = await this.#remover.delete(resource, this.#current(request), options, { user, warnings });
    if (!deletion.gone || resource.returnsDeleted) return this.#reply(request, 200, deletion.object, warnings);
    return json(200, deletedStatus(resource, deletion), warnings);
  }

  async #deleteCollection(request: Call): Promise<Reply> {
    const { resource, namespace, query } = request;
    if (resource.namespaced && namespace === undefined) throw methodNotAllowed();
    if (resource.collection === '/namespaces') throw methodNotAllowed();
    const page = list(this.#context.store, resource, namespace, query);
    const options = parseDeleteOptions(request.body.value(), query);
    for (const { object } of page.items) await this.#deleteItem(request, object, options);
    return { status: 200, body: presentationOf(request, this.#context.clock).list(page), warnings: request.warnings };
  }

  /** Deletes an object of a list, if it still exists. */
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
    const presentation = presentationOf(request, this.#context.clock);
    return { status, body: presentation.object(stored), warnings };
  }
}

/** @throws StatusError if the resource does not have the subresource, or the subresource not the method */
function checkSubresource({ resource, name = '', subresource, method }: Call): void {
  const isFinalize = subresource === 'finalize' && resource.collection === '/namespaces';
  if (subresource === 'scale') throw notImplemented('the scale subresource');
  if (!isFinalize && !(subresource === 'status' && resource.hasStatus))
    throw resource.custom ? notFound(resource, name) : noSuchResource();
  if (isFinalize && method !== 'PUT') throw methodNotAllowed();
}

/** Whether the path fits the scope of the resource. Without a namespace, namespaced objects can only be listed. */
function isInScope({ resource, namespace, name, method }: RestRequest): boolean {
  if (!resource.namespaced) return namespace === undefined;
  return namespace !== undefined || (name === undefined && (method === 'GET' || !resource.custom));
}

function deletedStatus({ group, plural }: Resource, { object }: Deletion): unknown {
  const { name, uid } = object.metadata;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
