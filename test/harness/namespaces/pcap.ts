const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const LITTLE_ENDIAN_MICROSECONDS = 0xa1b2c3d4;

/** A captured Ethernet frame. */
export interface CapturedFrame {
  /** Milliseconds since 1970. */
  time: number;
  bytes: Buffer;
}

/** Parses the output of `tcpdump -w` on Ethernet; an incomplete frame at the end is omitted. */
export function readPcap(file: Buffer): CapturedFrame[] {
  if (file.length < FILE_HEADER) return [];
  if (file.readUInt32LE(0) !== LITTLE_ENDIAN_MICROSECONDS) throw new Error('not a pcap file of this machine');
  const frames: CapturedFrame[] = [];
  let offset = FILE_HEADER;
  while (offset + RECORD_HEADER <= file.length) {
    const length = file.readUInt32LE(offset + 8);
    const start = offset + RECORD_HEADER;
    if (start + length > file.length) break;
    const time = file.readUInt32LE(offset) * 1000 + file.readUInt32LE(offset + 4) / 1000;
    frames.push({ time, bytes: file.subarray(start, start + length) });
    offset = start + length;
  }
  return frames;
}
