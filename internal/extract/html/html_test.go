package html

import (
	"testing"

	"parley/internal/extract/prose"
)

func TestHTMLIsWhatThePageShows(t *testing.T) {
	tests := []struct{ page, want string }{
		{
			"<html><head><title>Ferries</title><style>p{}</style><script>alert(1)</script></head>" +
				"<body><p>One</p><p>Two</p></body></html>",
			"# Ferries\n\nOne\n\nTwo",
		},
		{"<body>a<b>b</b> c <i>d</i>\n e<br>f</body>", "ab c d e\nf"},
		{"<body><p hidden>no</p><div style='display: none'>no</div><template>no</template>yes", "yes"},
		{"<body><noscript>no</noscript><iframe>no</iframe><svg><style>no</style></svg>yes", "yes"},
		{
			"<body>a<svg><title>Map</title><g><text x=1>The <tspan>harbor</tspan></text><path d='M0'/></g></svg>b",
			"a\n\nMap\nThe harbor\n\nb",
		},
		{
			"<body>Let <math><mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>.",
			"Let x = (a + b)/2.",
		},
		{
			"<body><math><msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>f</mi><mo>(</mo><mi>b</mi><mo>)</mo><mo>)</mo></mrow>" +
				"<mn>2</mn></msup></math>",
			"(a + f(b))^2",
		},
		{
			"<body><math><semantics><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>" +
				"<annotation>x</annotation></semantics></math>",
			"x_1^2",
		},
		{"<body><math><msqrt><mi>n</mi><mo>-</mo><mn>1</mn></msqrt><mo>&#x2062;</mo><mi>π</mi></math>", "√(n - 1)π"},
		{"<body><ul><li>one<li>two<ul><li>three</ul></ul>end", "- one\n- two\n- three\n\nend"},
		{"<body><table><tr><th>a<th>b<tr><td>c<p>d</p><td></table>end", "a\tb\nc d\n\nend"},
		{
			"<body><table><tr><th>Route<th>May<th>June<tr><td rowspan=2>Capri<td colspan=2>9:00<tr><td>9:30<td>10:00" +
				"<tr><td>Ischia<td>8:00<td>8:30</table>",
			"Route\tMay\tJune\nCapri\t9:00\n\t9:30\t10:00\nIschia\t8:00\t8:30",
		},
		{
			"<body><table><tr><th colspan=2>Pier<th>Time<tr><td>1<td rowspan=2>a<td>9:00<tr><td>2<tr><td>3<td>b<td>9:30</table>",
			"Pier\t\tTime\n1\ta\t9:00\n2\n3\tb\t9:30",
		},
		{
			"<body><table><tr><td>a<td><table><tr><td colspan=3>b<td>c</table><td>d<tr><td colspan=x>e<td rowspan=0>f</table>",
			"a\tb c\td\ne\tf",
		},
		{"<body><pre><span>var</span> content <i>=</i>  1\n  <b>if</b> x</pre>", "var content =  1\n  if x"},
		{"<body><pre>a\n<i>  </i><b>b</b> <i> </i>\nc</pre>", "a\n  b\nc"},
		{"<body>10<sup>6</sup> m<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O", "10⁶ m², 1st, H2O"},
		{"<body><ruby>東京<rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>都", "東京(とうきょう)都"},
		{"<body><pre>func main() {\n\tprint()\n}</pre>x", "func main() {\n    print()\n}\n\nx"},
		{"<body>&lt;b&gt; &amp; caf&eacute; &nbsp; x &#x6E21;&#36718;", "<b> & café x 渡轮"},
		{"<body><h2>Two</h2>text<h3></h3><p>after", "## Two\n\ntext\n\nafter"},
		{
			"<body>23 euros<sup><a href='#fn1'>1</a></sup>, or 9<a href=#fn2><sup> 2 </sup></a>more" +
				"<p><a href='#a'>1</a>Children and <a href='#b'>[2]</a>, <a href='/7'>7</a>",
			"23 euros[1], or 9[2]more\n\n[1]Children and [2], 7",
		},
		{
			"<body><img alt='A ferry'><textarea>two  words</textarea><select><option>a<option>b</select><hr>z",
			"A ferry\n\ntwo  words\n\na\nb\n\nz",
		},
	}
	for _, tt := range tests {
		out := &prose.Output{Limit: 1000}
		if err := Read(out, []byte(tt.page)); err != nil || out.String() != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.page, out.String(), err, tt.want)
		}
	}
}
