# Makes reportlab-form.pdf, a form with values, by ReportLab.
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen import canvas

c = canvas.Canvas("reportlab-form.pdf", pagesize=A5)
c.drawString(50, 540, "Registration of keepers")
form = c.acroForm
c.drawString(50, 500, "Keeper:")
form.textfield(name="keeper", value="Ada Lovelace", x=130, y=490, width=200)
c.drawString(50, 450, "Island:")
form.choice(name="island", value="Procida", options=["Ischia", "Procida"], x=130, y=440, width=200)
c.drawString(50, 400, "Keeps a cat:")
form.checkbox(name="cat", checked=True, buttonStyle="cross", x=130, y=390)
c.drawString(50, 350, "Remarks:")
form.textfield(name="remarks", value="The lamp flickers at high tide.", x=130, y=340, width=250)
c.drawString(50, 300, "The form ends here.")
c.textAnnotation("Ask for the licence first.", [300, 290, 320, 310])
c.save()
