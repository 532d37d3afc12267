// What keeps somebody from reading this page: a list of sentences, empty if there is nothing.
// Contrast is that of WCAG 2.1, 4.5:1, of all text that can be seen; what is disabled is exempt,
// and words on heat maps, which are pictures, are checked from their colours elsewhere.
() => {
  const found = [];
  const seen = part => part.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const parsed = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = rgb => rgb
    .map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const around = part => part ? [...around(part.parentElement), part] : [];
  const contrast = (part, ink) => {
    const parts = around(part).map(at => getComputedStyle(at));
    ink[3] *= parts.reduce((all, style) => all * style.opacity, 1);
    const below = parts.reduce((ground, s) => over(parsed(s.backgroundColor), ground), [255, 255, 255]);
    const [light, dark] = [luminance(over(ink, below)), luminance(below)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const exempt = `script, style, [disabled], [aria-disabled=true], .heatmaplayer,
    [data-testid=stIconMaterial], [data-testid=stSliderThumbValue]`; // it floats above its parent
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const part = walker.currentNode.parentElement;
    const box = part.getBoundingClientRect();
    if (!text || !seen(part) || part.closest(exempt) || box.width < 2 || box.height < 2) continue;
    const style = getComputedStyle(part);
    const ink = parsed(part instanceof SVGElement ? style.fill : style.color);
    if (ink[3] < 0.05) continue; // shown when it is pointed at
    const ratio = contrast(part, ink);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)}:1 ${text.slice(0, 60)}`);
  }

  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
    .filter(seen).map(heading => Number(heading.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) found.push(`levels of headings ${levels}`);
  if (levels.some((level, i) => level > (levels[i - 1] ?? 0) + 1)) found.push(`a gap: ${levels}`);

  const name = part => part.getAttribute("aria-label") ?? part.textContent.trim();
  // Parts of a field or a figure that has a name of its own.
  const ITS_OWN = ".modebar, .stTooltipIcon, .stSelectbox, .stMultiSelect, .stNumberInput";
  const twice = (what, names) => names
    .filter((one, i) => !one || names.indexOf(one) !== i)
    .forEach(one => found.push(`${what} of the same name, or of none: ${one}`));
  twice("figures", [...document.querySelectorAll(".stPlotlyChart")].filter(seen).map(name));
  twice("buttons", [...document.querySelectorAll(".stMain button")]
    .filter(part => seen(part) && !part.closest(ITS_OWN))
    .map(name));
  return found;
}
