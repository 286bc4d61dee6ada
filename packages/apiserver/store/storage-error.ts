/** What is kept on disk cannot be used; the message is for the person whose folder it is, and names the file. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code = 'Storage';
}
