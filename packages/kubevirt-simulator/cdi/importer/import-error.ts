/**
 * Why an attempt to import failed, in the words with which CDI's importer ends (its termination message, which becomes
 * the message of the DataVolume's condition Running).
 */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The source gave no data at all. */
  static connect(why: string, cause?: unknown): ImportError {
    return new ImportError('CannotConnect', `Unable to connect to http data source: ${why}`, { cause });
  }

  /** It broke while it gave them. */
  static transfer(why: string, cause?: unknown): ImportError {
    const what = 'Unable to transfer source data to scratch space: unable to write to file';
    return new ImportError('TransferFailed', `Unable to process data: ${what}: ${why}`, { cause });
  }

  /** They are not what the volume can take. */
  static content(why: string): ImportError {
    const what = 'Unable to convert source data to target format';
    return new ImportError('UnusableContent', `Unable to process data: ${what}: ${why}`);
  }

  static tooSmall(image: number, available: number): ImportError {
    const size = `virtual image size ${image} is larger than the reported available storage ${available}`;
    return ImportError.content(`${size}. A larger PVC is required`);
  }
}

export type ImportErrorCode = 'CannotConnect' | 'TransferFailed' | 'UnusableContent';
