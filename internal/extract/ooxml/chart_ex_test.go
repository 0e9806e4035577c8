package ooxml

import "testing"

// chartExPart is a chart of Office 2016: a sunburst of two series, one of which has no data.
const chartExPart = `<cx:chartSpace xmlns:cx="x" xmlns:a="a"><cx:chartData><cx:data id="0"><cx:strDim type="cat">` +
	`<cx:f>no</cx:f><cx:lvl><cx:pt idx="0">Leaf 1</cx:pt><cx:pt idx="1"></cx:pt></cx:lvl>` +
	`<cx:lvl><cx:pt idx="0">Stem 1</cx:pt><cx:pt idx="1">Stem 2</cx:pt></cx:lvl></cx:strDim>` +
	`<cx:numDim type="size"><cx:f>no</cx:f><cx:lvl formatCode="0%"><cx:pt idx="0">0.25</cx:pt>` +
	`<cx:pt idx="1">0.5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>` +
	`<cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Ferry </a:t></a:r><a:r><a:t>traffic</a:t></a:r></a:p></cx:rich></cx:tx>` +
	`</cx:title><cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:f>no</cx:f><cx:v>Boats</cx:v>` +
	`</cx:txData></cx:tx><cx:dataLabels><cx:v>no</cx:v></cx:dataLabels><cx:dataId val="0"/></cx:series>` +
	`<cx:series><cx:tx><cx:txData><cx:v>Guests</cx:v></cx:txData></cx:tx><cx:dataId val="7"/></cx:series>` +
	`</cx:plotAreaRegion><cx:axis><cx:title><cx:tx><cx:txData><cx:v>Share</cx:v></cx:txData></cx:tx></cx:title>` +
	`</cx:axis></cx:plotArea></cx:chart></cx:chartSpace>`

func TestChartsOfOffice2016AreRead(t *testing.T) {
	const want = "before\n\nChart: Ferry traffic\nAxes: Share\n\tBoats\nStem 1 Leaf 1\t25%\nStem 2\t50%\n\n" +
		"- Harbor office\n  - Skipper\n  - Cook\n\nafter"
	for name, entries := range withDrawings() {
		entries["chart.xml"] = chartExPart
		for part, content := range entries {
			if content == relationships("chart", "/chart.xml", "diagramData", "/data.xml") {
				entries[part] = relationships("chartEx", "/chart.xml", "diagramData", "/data.xml")
			}
		}
		if document, err := readEntries(t, entries); err != nil || document.Text != want || document.Notes != nil {
			t.Errorf("%s: got %q, %q, %v", name, document.Text, document.Notes, err)
		}
	}
}
