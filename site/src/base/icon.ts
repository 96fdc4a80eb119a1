// The page's few icons, drawn on a grid of 16 × 16.

const paths = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  restart: "M8 2a6 6 0 1 1-5.7 4.1l1.5.5A4.4 4.4 0 1 0 8 3.6v2.6L3.8 2.9 8 0z",
  slower: "M8 3v10L2 8zM14 3v10L8 8z",
  faster: "M2 3v10l6-5zM8 3v10l6-5z",
  step: "M3 2.5v11l7-5.5zM11 2.5h2v11h-2z",
  close: "M3.3 2.2 8 6.9l4.7-4.7 1.1 1.1L9.1 8l4.7 4.7-1.1 1.1L8 9.1l-4.7 4.7-1.1-1.1L6.9 8 2.2 3.3z",
  plus: "M7.2 2.5h1.6v4.7h4.7v1.6H8.8v4.7H7.2V8.8H2.5V7.2h4.7z",
  minus: "M2.5 7.2h11v1.6h-11z",
  fit: "M2 2h5v1.5H3.5V7H2zM9 2h5v5h-1.5V3.5H9zM2 9h1.5v3.5H7V14H2zM12.500 9H14v5H9v-1.500h3.5z",
  taller: "M2 2h12v1.500H2zM2 12.500h12V14H2zM8 4.500l2.500 3h-1.750v1h1.750l-2.500 3-2.500-3h1.750v-1H5.500z",
  lower: "M2 7.250h12v1.500H2zM8 6.500l-2.500-3h1.750V1h1.500v2.500h1.750zM8 9.500l2.500 3H8.750V15h-1.500v-2.500H5.500z",
  bolt: "M9.500 0 3 9h4l-1 7 7-9.500H8.500z",
  sun: "M8 4.600a3.400 3.400 0 1 0 0 6.800 3.400 3.400 0 0 0 0-6.800zM7.300 0h1.400v2.600H7.300zM7.300 13.400h1.400V16H7.300zM0 7.300h2.600v1.400H0zM13.400 7.300H16v1.400h-2.600zM1.850 2.850l1-1 1.850 1.850-1 1zM11.300 12.300l1-1 1.850 1.850-1 1zM1.850 13.150 3.700 11.300l1 1-1.850 1.850zM11.300 3.700l1.850-1.850 1 1L12.300 4.700z",
  moon: "M6.2 1.200A7 7 0 1 0 14.800 9.800 5.600 5.600 0 0 1 6.200 1.200z",
  system: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.500v11a5.500 5.500 0 0 1 0-11z",
  dice: "M2 2h12v12H2zm1.500 1.500v9h9v-9zM5 5h2v2H5zM9 9h2v2H9zM9 5h2v2H9zM5 9h2v2H5z",
  setup: "M1 3h14v1.600H1zM1 7.200h14v1.600H1zM1 11.400h14V13H1z",
} as const;

export type IconName = keyof typeof paths;

/** An icon that assistive technology passes over. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of [
    ["viewBox", "0 0 16 16"],
    ["class", "icon"],
    ["aria-hidden", "true"],
  ])
    svg.setAttribute(key, value);
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg as SVGSVGElement;
}
