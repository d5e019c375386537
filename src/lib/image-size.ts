/** Width and height of a PNG, JPEG, GIF or WebP by its header, in pixels; null for anything else. */
export function imageSizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = pngSize(view) ?? gifSize(view) ?? webpSize(view) ?? jpegSize(view);
  return size === null || size.width === 0 || size.height === 0 ? null : size;
}

type Size = { readonly width: number; readonly height: number };

function pngSize(view: DataView): Size | null {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x89504e47 || view.getUint32(12) !== IHDR) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): Size | null {
  if (view.byteLength < 10 || view.getUint32(0) !== GIF8) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpSize(view: DataView): Size | null {
  if (view.byteLength < 30 || view.getUint32(0) !== RIFF || view.getUint32(8) !== WEBP) return null;
  switch (view.getUint32(12)) {
    case VP8_EXTENDED:
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    case VP8_LOSSLESS: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case VP8_LOSSY:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}

/** Segments before the frame that are looked through. */
const SEGMENTS_MAX = 1_000;

function jpegSize(view: DataView): Size | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  for (let count = 0; count < SEGMENTS_MAX && at + 9 <= view.byteLength; count++) {
    if (view.getUint8(at) !== 0xff) return null;
    const kind = view.getUint8(at + 1);
    if (isFrame(kind)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Fill bytes may stand before a segment; standalone ones have no length.
    at += kind === 0xff ? 1 : isStandalone(kind) ? 2 : 2 + view.getUint16(at + 2);
  }
  return null;
}

/** All frames begin alike, except tables and arithmetic coding, which share their range. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}

function isStandalone(kind: number): boolean {
  return kind === 0x01 || (kind >= 0xd0 && kind <= 0xd8);
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

const IHDR = 0x49484452;
const GIF8 = 0x47494638;
const RIFF = 0x52494646;
const WEBP = 0x57454250;
const VP8_EXTENDED = 0x56503858;
const VP8_LOSSLESS = 0x5650384c;
const VP8_LOSSY = 0x56503820;
